/** Public entry of its own, for `verl plugins list`: reads manifests, and loads no room that a run needs. */
import path from "node:path";
import { lockOf, type PluginLock } from "./host/loading/lock.js";
import { type PluginPlan, planPlugins } from "./host/loading/plan.js";
import { stderrLogger } from "./host/logger.js";
import type { Logger } from "./host/types.js";
import { KINDS } from "./kinds.js";
import { PACKAGE } from "./package-info.js";
import { PLUGIN_API_VERSION } from "./plugin-api-version.js";

export { LOCK_FILE, lockText } from "./host/loading/lock.js";

/** What this installation calls itself in locks and towards workers. */
export const HOST = { ...PACKAGE, apiVersion: PLUGIN_API_VERSION };

export interface InspectPluginsOptions {
  /** The user's folder, from which plugins are resolved. Default: the working directory. */
  readonly cwd?: string;
  /** Default: `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Specifiers of the configuration's `plugins`. */
  readonly plugins?: readonly string[];
  readonly logger?: Logger;
}

/** A plan with the lock that it amounts to. */
export interface InspectedPlugins extends PluginPlan {
  readonly lock: PluginLock;
}

/** What would be loaded, read from manifests alone: no plugin's code runs. Failures are collected. */
export function inspectPlugins(options: InspectPluginsOptions = {}): InspectedPlugins {
  const plan = planPlugins({
    cwd: path.resolve(options.cwd ?? process.cwd()),
    env: options.env ?? process.env,
    plugins: options.plugins ?? [],
    rules: { apiVersion: PLUGIN_API_VERSION, kinds: Object.values(KINDS).map((kind) => kind.name) },
    logger: options.logger ?? stderrLogger(),
  });
  return { ...plan, lock: lockOf(plan.plugins, HOST) };
}
