import { nearestBeginning, nearestName } from "../host/util/nearest.js";
import { type Path, pathText } from "./compose/tree.js";
import { configKeys, configSections, type KeyEntry } from "./keys/catalogue.js";
import { renamedKeys } from "./keys/renamed-keys.js";
import { knownKeys } from "./keys/verl-keys.js";

const allKeys = [...configKeys, ...configSections, ...knownKeys].map((entry) => entry.key);

/** As many as are worth reading. */
const SUGGESTED = 3;

/**
 * The keys that a misspelt one most likely meant, the likeliest first: a sibling, else whatever it is the end of, else the same
 * name, a like name, or all of its words elsewhere. Keys of ours come before those that have no effect.
 */
export function nearestKeys(path: Path): string[] {
  const key = pathText(path);
  const last = path[path.length - 1];
  const one = (found: string | null) => (found === null ? [] : [found]);
  const sameName = allKeys.filter((candidate) => candidate.endsWith(`.${last}`));
  const tries: readonly (() => string[])[] = [
    () => one(nearestSibling(path, nearestName)),
    // Its beginning left out: `model.path`.
    () => allKeys.filter((candidate) => candidate.endsWith(`.${key}`)),
    // Its end cut off as well: `rollout.temp`.
    () =>
      allKeys
        .filter((candidate) => `.${candidate}`.includes(`.${key}`))
        .sort(byLength)
        .slice(0, 1),
    () => withinSection(path),
    () => (sameName.length > 1 ? one(nearestName(key, sameName)) : sameName),
    () => sameName,
    () => one(nearestSibling(path, nearestBeginning)),
    () => likeNamed(path),
    () => one(nearestName(key, allKeys)),
    () => searchKeys(wordsOf(last)).map((entry) => entry.key),
  ];
  for (const found of tries) {
    const keys = found().filter((candidate) => candidate !== key);
    if (keys.length > 0) return keys.slice(0, SUGGESTED);
  }
  return [];
}

/** Keys of the section that the path names rightly, that hold its last words: `data.batch`. */
function withinSection(path: Path): string[] {
  const section = `${pathText(path.slice(0, -1))}.`;
  if (path.length < 2 || childrenOf(path.slice(0, -1)).length === 0) return [];
  const words = wordsOf(path[path.length - 1]);
  return configKeys
    .map((entry) => entry.key)
    .filter((key) => key.startsWith(section) && words.every((word) => key.slice(section.length).includes(word)));
}

/** Keys anywhere whose own name is nearly this path's, those in a section of the same name first. */
function likeNamed(path: Path): string[] {
  const names = new Set(configKeys.map((entry) => nameIn(entry.key)));
  const last = path[path.length - 1];
  const like = nearestName(last, [...names]);
  const isLike = like === null ? (name: string) => abbreviates(name, last) : (name: string) => name === like;
  const keys = configKeys.map((entry) => entry.key).filter((key) => isLike(nameIn(key)));
  const isInSection = (key: string) => key.split(".").at(-2) === path.at(-2);
  return [...keys.filter(isInSection), ...keys.filter((key) => !isInSection(key))];
}

/** Word by word the beginning of the other: `save_freq` and `save_frequency`. */
function abbreviates(a: string, b: string): boolean {
  const [left, right] = [a.split("_"), b.split("_")];
  if (left.length !== right.length) return false;
  return left.every((word, i) => word.length > 1 && (right[i].startsWith(word) || word.startsWith(right[i])));
}

const nameIn = (key: string): string => key.slice(key.lastIndexOf(".") + 1);

/** Words that say something: of short ones every key holds some. */
const wordsOf = (name: string): string[] => {
  const words = name.split(/[_-]+/).filter((word) => word.length > 1);
  return words.join("").length < 4 ? [NOTHING] : words;
};
const NOTHING = "\0";

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
    const child = childrenOf(key).find((name) => name.toLowerCase() === part.toLowerCase());
    if (child === undefined) break;
    key = [...key, child];
  }
  return pathText(key);
}

/** " Did you mean …?" or nothing. */
export const suggestKey = (path: Path): string => suggestionText(nearestKeys(path));

/** The keys that may be meant, as {@link suggestKey} says them. */
export function suggestionText(keys: readonly string[]): string {
  const last = keys.at(-1);
  if (last === undefined) return "";
  return ` Did you mean ${keys.length === 1 ? last : `${keys.slice(0, -1).join(", ")} or ${last}`}?`;
}

function childrenOf(parent: Path): string[] {
  const prefix = parent.length === 0 ? "" : `${pathText(parent)}.`;
  const below = [...allKeys, ...renamedKeys.map((entry) => entry.from)].filter((key) => key.startsWith(prefix));
  return [...new Set(below.map((key) => key.slice(prefix.length).split(".")[0]))];
}
