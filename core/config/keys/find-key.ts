import { DEFAULT, fromPlain, type Node, type Path, pathText } from "../compose/tree.js";
import type { KnownKey } from "./known-key.js";
import { removedKeys } from "./removed-keys.js";
import { knownKeys } from "./verl-keys.js";

const exact = new Map(
  [...knownKeys, ...removedKeys].filter((entry) => !entry.section).map((entry) => [entry.key, entry]),
);
const open = new Map(knownKeys.filter((entry) => entry.section).map((entry) => [entry.key, entry]));

/** In files that verl generates, in every section. */
const CLASS_NAME: KnownKey = { key: "_target_", verl: null, note: "it names a Python class" };

/** The entry for a path: its own, or that of the section that it lies in. */
export function knownKey(path: Path): KnownKey | null {
  if (path.at(-1) === CLASS_NAME.key) return CLASS_NAME;
  const own = exact.get(pathText(path));
  if (own) return own;
  for (let i = path.length; i > 0; i--) {
    const section = open.get(pathText(path.slice(0, i)));
    if (section) return section;
  }
  return null;
}

/** Whether known keys lie below this path. */
export function holdsKnownKeys(path: Path): boolean {
  const prefix = `${pathText(path)}.`;
  return [...exact.keys(), ...open.keys()].some((key) => key.startsWith(prefix));
}

/** verl's default, for references to a key that has no meaning here. */
export function verlDefault(path: Path): Node | null {
  const entry = exact.get(pathText(path));
  return entry ? fromPlain(entry.verl, DEFAULT) : null;
}
