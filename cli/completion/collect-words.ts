import { configKeys, offeredNames } from "../../core/config/index.js";
import type { Host } from "../../core/index.js";
import type { CommandIo } from "../program/io.js";
import { startHost } from "../runs/prepare-run.js";
import type { CompletionWords } from "./recorded-words.js";

/** Words of the schema, of the built-ins, and of the plugins that the environment loads. */
export async function collectWords(io: CommandIo): Promise<CompletionWords> {
  const host = await startHost({ allowBrokenPlugins: true, json: true }, [], io);
  try {
    const registered = registeredNames(host);
    return {
      keys: configKeys.map(({ key, choices, registry, file, unoffered }) => ({
        key,
        values: registry === undefined ? choices : offeredNames({ unoffered }, registered[registry] ?? []),
        file: file === true,
      })),
      commands: host.registries.commands.keys(),
      names: [...new Set(Object.values(registered).flat())].filter((name) => !name.includes("/")).sort(),
    };
  } finally {
    await host.dispose();
  }
}

/** Names by registry; engines by the backends that `strategy` takes. */
function registeredNames({ registries }: Pick<Host, "registries">): Record<string, string[]> {
  const names: Record<string, string[]> = {};
  for (const [registry, { keys }] of Object.entries(registries)) names[registry] = [...keys()];
  names.engines = [...new Set(registries.engines.items().flatMap(({ item }) => item.backends))];
  names.platforms = ["auto", ...names.platforms];
  return names;
}
