import type { PluginCommand } from "../../core/plugin.js";
import { commandLogger } from "../program/command-logger.js";
import { withInterrupts } from "../program/interrupts.js";
import { type CommandIo, printLine } from "../program/io.js";
import { EXIT } from "../program/report-error.js";
import { startHost } from "../runs/prepare-run.js";

/** Runs the command of a plugin; returns its exit code, or null where no plugin has it. */
export async function runPluginCommand([name, ...args]: readonly string[], io: CommandIo): Promise<number | null> {
  const host = await startHost({ json: false }, [], io);
  try {
    host.freeze();
    const command = host.registries.commands.get(name);
    if (!command) return null;
    if (args.length === 1 && ["--help", "-h"].includes(args[0])) {
      printLine(io.stdout, usageOf(command));
      return EXIT.ok;
    }
    const { registries } = host;
    return await withInterrupts(io, null, async ({ signal }) => {
      const code = await command.run({ ...io, args, registries, signal, logger: commandLogger(io) });
      return code ?? EXIT.ok;
    });
  } finally {
    await host.dispose();
  }
}

/** For `verl --help`: the commands of the plugins that the environment loads. One that fails takes nothing away from the rest. */
export async function pluginCommandsHelp(io: CommandIo): Promise<string> {
  const host = await startHost({ json: false, allowBrokenPlugins: true }, [], io);
  try {
    const commands = host.registries.commands.items().map(({ item }) => item);
    if (commands.length === 0) return "";
    const width = Math.max(...commands.map(({ name }) => name.length));
    return `\nOf plugins:\n${commands.map(({ name, description }) => `  ${name.padEnd(width)}  ${description}`).join("\n")}\n`;
  } finally {
    await host.dispose();
  }
}

function usageOf({ name, description, usage }: PluginCommand): string {
  return `Usage: verl ${name}${usage ? ` ${usage}` : ""}\n\n${description}`;
}
