import type { VerlError } from "../errors.js";
import { pluginErrors } from "../plugin-errors.js";
import { didYouMean } from "../util/nearest.js";
import type { Environment } from "./env-diff.js";
import { parseModuleList } from "./module-list.js";
import { enclosingPackage, findPackage, readPackageJson } from "./package-json.js";

/** Who asked for a plugin. */
export type PluginSource = "builtin" | "environment" | "config" | "discovered" | "lock" | "user";

export interface PluginRequest {
  readonly specifier: string;
  readonly source: PluginSource;
  /** Why the request cannot be met, where that is known before anything is looked for. */
  readonly error?: VerlError;
}

/** A direct dependency of the user's project that carries a manifest. Nothing of it was run. */
export interface InstalledPlugin {
  readonly name: string;
  readonly version: string;
  readonly root: string;
}

/** Direct dependencies with a `verl` manifest, sorted by name. They are candidates: finding one does not load it. */
export function installedPlugins(cwd: string): InstalledPlugin[] {
  const project = enclosingPackage(cwd);
  const packageJson = project === null ? null : readPackageJson(project);
  if (project === null || packageJson === null) return [];
  const names = new Set(
    [
      packageJson.dependencies,
      packageJson.devDependencies,
      packageJson.optionalDependencies,
      packageJson.peerDependencies,
    ].flatMap((group) => Object.keys(group ?? {})),
  );
  return [...names].sort().flatMap((name) => {
    const root = findPackage(name, project);
    const own = root === null ? null : readPackageJson(root);
    return root === null || own?.verl === undefined ? [] : [{ name, version: own.version ?? "0.0.0", root }];
  });
}

/**
 * Which plugins were asked for, in load order: `VERL_USE_EXTERNAL_MODULES`, the configuration's `plugins`, then direct
 * dependencies that `VERL_USE_EXTERNAL_PLUGINS` lets in (`none`, the default; `auto`; or package names, case-exact). A
 * wrong name there is a request with an error.
 */
export function requestedPlugins(
  env: Environment,
  configured: readonly string[],
  installed: readonly InstalledPlugin[],
): PluginRequest[] {
  const bySpecifier = new Map<string, PluginRequest>();
  const add = (specifiers: readonly string[], source: PluginSource) => {
    for (const specifier of specifiers) {
      if (!bySpecifier.has(specifier)) bySpecifier.set(specifier, { specifier, source });
    }
  };
  add(parseModuleList(env.VERL_USE_EXTERNAL_MODULES), "environment");
  add(
    configured.map((name) => name.trim()).filter((name) => name !== ""),
    "config",
  );
  const names = installed.map((plugin) => plugin.name);
  const { allowed, unknown } = allowedPlugins(env.VERL_USE_EXTERNAL_PLUGINS, names);
  add(allowed, "discovered");
  const refused = unknown.map(
    (specifier): PluginRequest => ({ specifier, source: "discovered", error: unknownPlugin(specifier, names) }),
  );
  return [...bySpecifier.values(), ...refused];
}

function allowedPlugins(policy: string | undefined, names: readonly string[]) {
  const words = parseModuleList(policy);
  if (words.length === 0 || (words.length === 1 && words[0] === "none")) return { allowed: [], unknown: [] };
  if (words.length === 1 && words[0] === "auto") return { allowed: names, unknown: [] };
  return {
    allowed: names.filter((name) => words.includes(name)),
    unknown: words.filter((word) => !names.includes(word)),
  };
}

function unknownPlugin(name: string, names: readonly string[]): VerlError {
  return pluginErrors.VERL_PLUGIN_UNKNOWN({
    what: `VERL_USE_EXTERNAL_PLUGINS names "${name}", which is no plugin of this project.${didYouMean(name, names)}`,
    why:
      names.length > 0
        ? `Direct dependencies with a verl manifest: ${names.join(", ")}.`
        : "No direct dependency of this project has a verl manifest.",
    fix: 'Write "auto", "none", or names from `verl plugins list`; they are case-exact.',
  });
}
