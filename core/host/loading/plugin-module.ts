import { pluginErrors } from "../plugin-errors.js";
import type { ProcessRole } from "../types.js";
import type { ModuleNamespace } from "./module-importer.js";
import type { PlannedPlugin } from "./plan.js";
import { isPluginDefinition, type PluginDefinition } from "./plugin-definition.js";

/** What an imported module turned out to hold. Fields that only `definePlugin` gives are null for a bare `register`. */
export interface FoundPlugin {
  readonly name: string | null;
  readonly version: string | null;
  readonly apiVersion: string | null;
  readonly provides: readonly string[] | null;
  readonly processes: "all" | readonly ProcessRole[] | null;
  register(host: unknown): unknown;
}

/** What a module offers: an export marked by `definePlugin`, or a function `register`; of ES modules and CommonJS alike. */
export function pluginIn(module: ModuleNamespace, plan: PlannedPlugin): FoundPlugin {
  const outer = module.default;
  const inner = typeof outer === "object" && outer !== null ? (outer as ModuleNamespace) : {};
  const definitions = [...new Set([...Object.values(module), ...Object.values(inner)].filter(isPluginDefinition))];
  if (definitions.length === 1) return fromDefinition(definitions[0]);
  const register = [module.register, inner.register].find((f) => typeof f === "function") as
    | FoundPlugin["register"]
    | undefined;
  if (register && definitions.length === 0 && plan.manifest !== null) {
    return { name: null, version: null, apiVersion: null, provides: null, processes: null, register };
  }
  const names = [...new Set([...Object.keys(module), ...Object.keys(inner)])]
    .filter((n) => n !== "module.exports")
    .sort();
  const exported = names.length > 0 ? `It exports ${names.join(", ")}.` : "It exports nothing.";
  throw pluginErrors.VERL_PLUGIN_NO_REGISTER({
    what:
      definitions.length > 1
        ? `The plugin module ${plan.entry} exports ${definitions.length} plugins; one is expected.`
        : `The plugin module ${plan.entry} exports nothing that can be registered.`,
    where: plan.entry,
    why: exported,
    fix:
      plan.manifest === null
        ? "A single file exports definePlugin({ name, apiVersion, provides, register })."
        : undefined,
    data: { exports: names },
  });
}

function fromDefinition(plugin: PluginDefinition<unknown>): FoundPlugin {
  return {
    name: plugin.name,
    version: plugin.version ?? null,
    apiVersion: plugin.apiVersion,
    provides: plugin.provides,
    processes: plugin.processes ?? null,
    register: (host) => plugin.register(host),
  };
}
