import { nearestBeginning, nearestName } from "../host/nearest.js";
import { configKeys, configSections, type KeyEntry } from "./catalogue.js";
import { knownKeys } from "./known-keys.js";
import { renamedKeys } from "./renamed-keys.js";
import { type Path, pathText } from "./tree.js";

const allKeys = [...configKeys, ...configSections, ...knownKeys].map((entry) => entry.key);

/** The key that a misspelt one most likely meant: a sibling first, then the same name elsewhere, then any key. */
export function nearestKey(path: Path): string | null {
  const key = pathText(path);
  const sibling = nearestSibling(path, nearestName);
  if (sibling) return sibling;
  // Its beginning left out, its end cut off: `rollout.temp`.
  const [within] = allKeys.filter((candidate) => `.${candidate}`.includes(`.${key}`)).sort(byLength);
  if (within) return within;
  const sameName = allKeys.filter((candidate) => candidate.endsWith(`.${path[path.length - 1]}`));
  if (sameName.length === 1) return sameName[0];
  if (sameName.length > 0) return nearestName(key, sameName);
  return nearestSibling(path, nearestBeginning) ?? nearestName(key, allKeys);
}

/** The path with its last part that can be corrected by the names beside it. */
function nearestSibling(path: Path, nearest: (name: string, siblings: readonly string[]) => string | null) {
  for (let depth = path.length - 1; depth >= 0; depth--) {
    const parent = path.slice(0, depth);
    const siblings = childrenOf(parent);
    if (siblings.length === 0 || siblings.includes(path[depth])) continue;
    const sibling = nearest(path[depth], siblings);
    if (sibling) return known([...parent, sibling], path.slice(depth + 1));
  }
  return null;
}

/**
 * Keys of ours whose name, description or former name holds every one of the words, those with it in their name first; a word
 * with a dot may be a part of a path.
 */
export function searchKeys(words: readonly string[]): KeyEntry[] {
  const wanted = words.map((word) => word.toLowerCase());
  const holds = (text: string) => wanted.every((word) => text.toLowerCase().includes(word));
  const formerly = (key: string) => renamedKeys.filter(({ to }) => to === key).map(({ from }) => from);
  const found = configKeys.filter(({ key, description }) => holds([key, description, ...formerly(key)].join(" ")));
  return [...found.filter(({ key }) => holds(key)), ...found.filter(({ key }) => !holds(key))];
}

const byLength = (a: string, b: string) => a.length - b.length;

/** The corrected start with as much of the rest as exists: a suggestion is a key that there is. */
function known(start: Path, rest: Path): string {
  let key = start;
  for (const part of rest) {
    if (!childrenOf(key).includes(part)) break;
    key = [...key, part];
  }
  return pathText(key);
}

/** " Did you mean …?" or nothing. */
export function suggestKey(path: Path): string {
  const nearest = nearestKey(path);
  return nearest && nearest !== pathText(path) ? ` Did you mean ${nearest}?` : "";
}

function childrenOf(parent: Path): string[] {
  const prefix = parent.length === 0 ? "" : `${pathText(parent)}.`;
  const below = [...allKeys, ...renamedKeys.map((entry) => entry.from)].filter((key) => key.startsWith(prefix));
  return [...new Set(below.map((key) => key.slice(prefix.length).split(".")[0]))];
}
