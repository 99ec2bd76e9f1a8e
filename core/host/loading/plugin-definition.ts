import type { ProcessRole } from "../types.js";

/** A plugin as a value: what `definePlugin` marks, and the form of the built-ins. `H` is what `register` receives. */
export interface PluginDefinition<H> {
  readonly name: string;
  /** Semver range of the plugin API that it works with. */
  readonly apiVersion: string;
  readonly version?: string;
  /** Kinds that it registers, e.g. `["engine", "hooks"]`. */
  readonly provides: readonly string[];
  readonly processes?: "all" | readonly ProcessRole[];
  register(host: H): void | Promise<void>;
}

/** Recognises plugins across copies of the package. */
export const pluginBrand = Symbol.for("verl.plugin");

export function isPluginDefinition(value: unknown): value is PluginDefinition<unknown> {
  return typeof value === "object" && value !== null && (value as Record<symbol, unknown>)[pluginBrand] === true;
}
