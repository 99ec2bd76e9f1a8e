/** Entry of the package: the plugin host with the built-ins, and the configuration. */
import { createHost as createBareHost, type Host, type HostOptions } from "../core/index.js";
import { BUILTINS } from "./builtins.js";

export { composeConfig, explainKey, makeConfig, type RunConfig, validateConfig } from "../core/config/index.js";
export type { Host, HostOptions } from "../core/index.js";
export * from "../core/plugin.js";

/** A plugin host with everything that is built in, and the plugins that environment and options name. */
export function createHost(options: Omit<HostOptions, "builtins"> = {}): Promise<Host> {
  return createBareHost({ ...options, builtins: BUILTINS });
}
