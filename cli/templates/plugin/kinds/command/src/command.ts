import { defineErrors, type PluginCommand } from "verl-ts/plugin";

/** Errors with a code are shown as cards; any other one counts as a defect and shows its stack. */
const errors = defineErrors({
  VERL_PLUGIN_COMMAND_USAGE: {
    summary: "The command line cannot be understood.",
    fix: "`verl __SHORT__ --help` shows what it takes.",
  },
});

/** `verl __SHORT__`: how many things of each kind are registered. */
export const command: PluginCommand = {
  name: "__SHORT__",
  description: "Count what is registered, by kind.",
  usage: "[--json]",
  run({ args, registries, stdout }) {
    const unknown = args.filter((word) => word !== "--json");
    if (unknown.length > 0) throw errors.VERL_PLUGIN_COMMAND_USAGE({ what: `What is "${unknown.join(" ")}"?` });
    const counts = Object.entries(registries).map(([name, registry]) => [name, registry.items().length] as const);
    if (args.includes("--json")) stdout.write(`${JSON.stringify(Object.fromEntries(counts))}\n`);
    else for (const [name, count] of counts) stdout.write(`${name.padEnd(22)} ${count}\n`);
    return 0;
  },
};
