import semver from "semver";
import type { VerlError } from "../errors.js";
import { pluginErrors } from "../plugin-errors.js";
import { parseSpecifier } from "./specifier.js";

/** What ordering needs to know of a plugin. */
export interface Ordered {
  readonly name: string;
  readonly version: string;
  readonly after: readonly string[];
  readonly requires: readonly string[];
}

export interface LoadOrder<T> {
  readonly order: readonly T[];
  /** Plugins that cannot be loaded, with the reason; the others are ordered without them. */
  readonly failed: readonly { readonly plugin: T; readonly error: VerlError }[];
}

/**
 * Sorts plugins so that each comes after what it names in `after` and `requires`; otherwise the given order stays.
 * `after` counts only for plugins that are there, `requires` must be met.
 */
export function loadOrder<T extends Ordered>(plugins: readonly T[]): LoadOrder<T> {
  const failed: { plugin: T; error: VerlError }[] = [];
  let rest = [...plugins];
  for (let before = -1; before !== rest.length; ) {
    before = rest.length;
    rest = rest.filter((plugin) => {
      const error = unmetRequirement(plugin, rest);
      if (error) failed.push({ plugin, error });
      return error === null;
    });
  }

  const order: T[] = [];
  while (rest.length > 0) {
    const next = rest.find((plugin) => predecessors(plugin, rest).length === 0);
    if (next) {
      order.push(next);
      rest = rest.filter((plugin) => plugin !== next);
      continue;
    }
    const cycle = cycleIn(rest);
    const path = [...cycle, cycle[0]].map((p) => p.name).join(" → ");
    const error = pluginErrors.VERL_PLUGIN_CYCLE({
      what: `Plugins wait for each other: ${path}.`,
      why: '"a → b" means that a lists b in "after" or "requires".',
      data: { cycle: cycle.map((p) => p.name) },
    });
    failed.push(...cycle.map((plugin) => ({ plugin, error })));
    rest = rest.filter((plugin) => !cycle.includes(plugin));
  }
  return { order, failed };
}

function predecessors<T extends Ordered>(plugin: T, among: readonly T[]): T[] {
  const names = [...plugin.after, ...plugin.requires.map(requiredName)];
  return among.filter((other) => other !== plugin && other.name !== plugin.name && names.includes(other.name));
}

/** Follows predecessors until one repeats; every plugin in `stuck` has one. */
function cycleIn<T extends Ordered>(stuck: readonly T[]): T[] {
  const path: T[] = [];
  let current = stuck[0];
  while (!path.includes(current)) {
    path.push(current);
    current = predecessors(current, stuck)[0];
  }
  return path.slice(path.indexOf(current));
}

function unmetRequirement<T extends Ordered>(plugin: T, present: readonly T[]): VerlError | null {
  for (const text of plugin.requires) {
    const found = present.find((p) => p.name === requiredName(text));
    const range = rangeOf(text);
    if (found && (range === null || semver.satisfies(found.version, range, { includePrerelease: true }))) continue;
    return pluginErrors.VERL_PLUGIN_REQUIRES({
      what: `${plugin.name}@${plugin.version} requires the plugin ${text}, which is not loaded.`,
      why: found ? `Version ${found.version} is.` : undefined,
      data: { plugin: plugin.name, requires: text },
    });
  }
  return null;
}

/** The package that an entry of `requires` names, its range left out. */
export function requiredName(text: string): string {
  const specifier = parseSpecifier(text);
  return specifier.kind === "package" ? specifier.name : text;
}

function rangeOf(text: string): string | null {
  const specifier = parseSpecifier(text);
  return specifier.kind === "package" ? specifier.range : null;
}
