import type { VerlError } from "../../host/errors.js";
import { configErrors } from "../errors.js";
import { shownOverride } from "../secrets.js";
import { parseValue, ValueSyntaxError } from "./override-value.js";
import { asTyped } from "./quoting.js";
import {
  type Dict,
  dict,
  equal,
  MAX_TREE_DEPTH,
  merge,
  type Node,
  nodeAt,
  type Path,
  pathText,
  type Source,
} from "./tree.js";

export interface Override {
  /** `set` = `a=V`, `add` = `+a=V`, `force` = `++a=V`, `remove` = `~a` or `~a=V`. */
  readonly action: "set" | "add" | "force" | "remove";
  readonly path: Path;
  /** Null only for `~a`. */
  readonly value: Node | null;
  /** As the user wrote it. */
  readonly text: string;
  readonly source: Source;
}

/** What the tree at hand does not say about itself. */
export interface KeyRules {
  /** Keys that count as existing although the tree has no value for them, e.g. under an open section. */
  isKnown(path: Path): boolean;
  /** " Did you mean …?" for a key that does not exist, or nothing. */
  suggest(path: Path): string;
}

const NO_RULES: KeyRules = { isKnown: () => false, suggest: () => "" };
const PART = /^[^\s=+~"'[\]{}(),:$]+$/;

/** The key as somebody wrote it, of an override that may not be one. */
export const keyTextOf = (text: string): string => text.replace(/^\s*[+~]*([^=]*)[\s\S]*$/, "$1").trim();

/** Parses one override. */
export function parseOverride(text: string): Override {
  const source: Source = { kind: "override", text };
  const [, prefix, rest] = /^\s*(\+\+|\+|~|)([\s\S]*)$/.exec(text) as RegExpExecArray;
  const action = ({ "": "set", "+": "add", "++": "force", "~": "remove" } as const)[prefix as "" | "+" | "++" | "~"];
  const equals = rest.indexOf("=");
  const keyText = (equals < 0 ? rest : rest.slice(0, equals)).trim();
  const path = keyText.split(".");
  if (!path.every((part) => PART.test(part))) {
    throw problem(text, `"${keyText}" is not a key.`, {
      fix: "A key is names joined by dots, e.g. data.train_batch_size=8.",
    });
  }
  if (path.length > MAX_TREE_DEPTH) throw problem(text, `The key has more than ${MAX_TREE_DEPTH} parts.`);
  if (equals < 0) {
    if (action === "remove") return { action, path, value: null, text, source };
    throw problem(text, `"${keyText}" has no value: "=" is missing.`, { fix: `Write ${prefix}${keyText}=VALUE.` });
  }
  try {
    return { action, path, value: parseValue(rest.slice(equals + 1), source), text, source };
  } catch (error) {
    if (!(error instanceof ValueSyntaxError)) throw error;
    const column = text.length - rest.length + equals + 1 + error.position;
    const typed = asTyped(text) ?? `'${prefix}${keyText}="..."'`;
    throw problem(text, `The value of ${keyText} cannot be read: ${error.message}.`, {
      why: `${shownOverride(text)}\n${" ".repeat(column)}^`,
      fix: `If it is text, quote it, and all of it for the shell: ${typed}`,
    });
  }
}

/** Applies one override to the tree, in place. */
export function applyOverride(root: Dict, override: Override, rules: KeyRules = NO_RULES): void {
  const { action, path, text } = override;
  const key = pathText(path);
  const existing = nodeAt(root, path);
  if (action === "remove") {
    remove(root, override, existing);
    return;
  }
  const value = override.value as Node;
  if (action === "set") {
    const known = existing !== null || rules.isKnown(path);
    if (!known) throw missing(root, override, rules);
    if (existing?.kind === "dict" && value.kind === "dict") checkNoNewKeys(existing, value, path, override, rules);
  } else if (action === "add" && existing && !isNull(existing) && value.kind === "scalar") {
    throw problem(text, `${key} exists already.`, { fix: `Write ${key}=... without the + to change it.` });
  }
  if (existing) checkSameShape(existing, value, path, override);
  place(root, path, existing ? merge(existing, value) : value, override);
}

function remove(root: Dict, override: Override, existing: Node | null): void {
  const { path, value, text } = override;
  const key = pathText(path);
  if (!existing) throw problem(text, `There is no ${key} to remove.`);
  if (value && !equal(value, existing)) {
    throw problem(text, `${key} has another value than the one given, so it was not removed.`);
  }
  const parent = nodeAt(root, path.slice(0, -1)) as Node;
  if (parent.kind === "dict") parent.entries.delete(path[path.length - 1]);
  else if (parent.kind === "list") parent.items.splice(Number(path[path.length - 1]), 1);
}

/** Puts a node at a path; missing or null parents become sections. */
function place(root: Dict, path: Path, value: Node, override: Override): void {
  let parent: Node = root;
  for (let i = 0; i < path.length - 1; i++) {
    let next = nodeAt(parent, [path[i]]);
    if (!next || isNull(next)) {
      next = dict(override.source);
      store(parent, path, i, next, override);
    }
    parent = next;
  }
  store(parent, path, path.length - 1, value, override);
}

function store(parent: Node, path: Path, i: number, value: Node, override: Override): void {
  if (parent.kind === "dict") parent.entries.set(path[i], value);
  else if (parent.kind === "list" && nodeAt(parent, [path[i]])) parent.items[Number(path[i])] = value;
  else {
    const holder = pathText(path.slice(0, i));
    const what = parent.kind === "list" ? "is a list without that item" : "is a value, not a section";
    throw problem(override.text, `${pathText(path)} cannot be set: ${holder} ${what}.`);
  }
}

function missing(root: Dict, { path, text }: Override, rules: KeyRules): VerlError {
  let depth = 1;
  while (depth < path.length && nodeAt(root, path.slice(0, depth))) depth++;
  const absent = path.slice(0, depth);
  return problem(text, `There is no key ${pathText(absent)}.${rules.suggest(path)}`, {
    why: "A plain = changes an existing key.",
    fix: `Correct the name, or write +${shownOverride(text.trim())} for a key that a plugin brings.`,
  });
}

/** A dict over a dict merges, but a plain `=` must not bring new keys. */
function checkNoNewKeys(existing: Dict, value: Dict, path: Path, override: Override, rules: KeyRules): void {
  for (const [key, item] of value.entries) {
    const inner = [...path, key];
    const before = existing.entries.get(key);
    if (!before && !rules.isKnown(inner)) {
      throw problem(override.text, `There is no key ${pathText(inner)}.${rules.suggest(inner)}`, {
        why: "A plain = changes existing keys; it does not add any.",
        fix: `Correct the name, or write ++${shownOverride(override.text.trim())} for a key that a plugin brings.`,
      });
    }
    if (before?.kind === "dict" && item.kind === "dict") checkNoNewKeys(before, item, inner, override, rules);
  }
}

/** A list does not replace a section, nor a section a list: one of the two is a mistake. */
function checkSameShape(existing: Node, value: Node, path: Path, { text }: Override): void {
  if (existing.kind === "scalar" || value.kind === "scalar" || existing.kind === value.kind) return;
  const [is, not] = existing.kind === "dict" ? ["a section", "a list"] : ["a list", "a section"];
  throw problem(text, `${pathText(path)} is ${is}, and the value is ${not}.`);
}

const isNull = (node: Node): boolean => node.kind === "scalar" && node.value === null;

function problem(text: string, what: string, more: { why?: string; fix?: string } = {}): VerlError {
  const override = shownOverride(text);
  return configErrors.VERL_CONFIG_OVERRIDE({ what, where: `override ${override}`, ...more, data: { override } });
}
