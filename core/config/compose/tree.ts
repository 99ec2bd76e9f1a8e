import type { JsonValue } from "../../host/types.js";
import { shownOverride } from "../secrets.js";

/** Where a value comes from. */
export type Source =
  | { readonly kind: "default" }
  | { readonly kind: "file"; readonly file: string; readonly line: number; readonly column: number }
  | { readonly kind: "env"; readonly name: string }
  | { readonly kind: "override"; readonly text: string };

/**
 * A value before references are resolved. `spelling` of a number keeps what JavaScript loses: whether it was written
 * as a float. Every node knows its source.
 */
export type Node = Scalar | List | Dict;
export interface Scalar {
  readonly kind: "scalar";
  readonly value: string | number | boolean | null;
  /** The number was written with a point or an exponent. */
  readonly float?: boolean;
  readonly source: Source;
}
export interface List {
  readonly kind: "list";
  readonly items: Node[];
  readonly source: Source;
}
export interface Dict {
  readonly kind: "dict";
  readonly entries: Map<string, Node>;
  readonly source: Source;
}

export type Path = readonly string[];

/** Values and characters of a configuration once aliases and references stand for what they mean: both can multiply. */
export const MAX_TREE_SIZE = 2 ** 22;
/** Sections and lists inside each other. */
export const MAX_TREE_DEPTH = 100;

export const DEFAULT: Source = { kind: "default" };

export function scalar(value: Scalar["value"], source: Source, float = false): Scalar {
  return float ? { kind: "scalar", value, float, source } : { kind: "scalar", value, source };
}

export function dict(source: Source, entries: Iterable<readonly [string, Node]> = []): Dict {
  return { kind: "dict", entries: new Map(entries), source };
}

export const pathText = (path: Path): string => path.join(".");

/** Characters of an override in messages. */
const SHOWN = 200;

/** Where a value comes from; of a section of defaults, to which keys were added, where the first of them does. */
export function sourceOf(node: Node): Source {
  if (node.kind !== "dict" || node.source.kind !== "default") return node.source;
  const added = [...node.entries.values()].map(sourceOf).find(({ kind }) => kind !== "default");
  return added ?? node.source;
}

/** `file:line:column`, `environment NAME`, `override "a=b"` or `default`. */
export function sourceText(source: Source): string {
  switch (source.kind) {
    case "default":
      return "default";
    case "file":
      return `${source.file}:${source.line}:${source.column}`;
    case "env":
      return `environment ${source.name}`;
    case "override":
      return `override "${shortened(shownOverride(source.text))}"`;
  }
}

const shortened = (text: string): string => (text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text);

/** A value in messages: JSON, in which the numbers that JSON does not know keep their names. */
export function valueText(value: unknown): string {
  const text = JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "number" && !Number.isFinite(inner) ? `\0${inner}\0` : inner,
  );
  return (text ?? "").replaceAll(/"\\u0000(NaN|-?Infinity)\\u0000"/g, "$1");
}

/** A tree from plain data, all of one source. */
export function fromPlain(value: unknown, source: Source): Node {
  if (Array.isArray(value)) return { kind: "list", items: value.map((item) => fromPlain(item, source)), source };
  if (typeof value === "object" && value !== null) {
    return dict(
      source,
      Object.entries(value).map(([key, item]) => [key, fromPlain(item, source)] as const),
    );
  }
  return scalar((value ?? null) as Scalar["value"], source, typeof value === "number" && !Number.isInteger(value));
}

/** Plain data. Members are defined, not assigned, so that a key such as `__proto__` stays a key. */
export function toPlain(node: Node): JsonValue {
  switch (node.kind) {
    case "scalar":
      return node.value;
    case "list":
      return node.items.map(toPlain);
    case "dict": {
      const result: Record<string, JsonValue> = {};
      for (const [key, item] of node.entries) {
        Object.defineProperty(result, key, {
          value: toPlain(item),
          enumerable: true,
          writable: true,
          configurable: true,
        });
      }
      return result;
    }
  }
}

/** The node at a path; list items by number. Null where there is none. */
export function nodeAt(root: Node, path: Path): Node | null {
  let node: Node | undefined = root;
  for (const part of path) {
    if (node.kind === "dict") node = node.entries.get(part);
    else if (node.kind === "list" && /^\d+$/.test(part)) node = node.items[Number(part)];
    else return null;
    if (!node) return null;
  }
  return node;
}

export function clone(node: Node): Node {
  if (node.kind === "list") return { ...node, items: node.items.map(clone) };
  if (node.kind === "dict")
    return dict(
      node.source,
      [...node.entries].map(([key, item]) => [key, clone(item)] as const),
    );
  return node;
}

/** Lay `over` on `base`: dicts merge, everything else replaces. */
export function merge(base: Node, over: Node): Node {
  if (base.kind !== "dict" || over.kind !== "dict") return over;
  const merged = dict(over.source, base.entries);
  for (const [key, item] of over.entries) {
    const existing = merged.entries.get(key);
    merged.entries.set(key, existing ? merge(existing, item) : item);
  }
  return merged;
}

/** Equal by value: numbers regardless of spelling, dicts regardless of order. */
export function equal(a: Node, b: Node): boolean {
  if (a.kind === "scalar" && b.kind === "scalar") return Object.is(a.value, b.value) || a.value === b.value;
  if (a.kind === "list" && b.kind === "list") {
    return a.items.length === b.items.length && a.items.every((item, i) => equal(item, b.items[i]));
  }
  if (a.kind === "dict" && b.kind === "dict") {
    if (a.entries.size !== b.entries.size) return false;
    return [...a.entries].every(([key, item]) => {
      const other = b.entries.get(key);
      return other !== undefined && equal(item, other);
    });
  }
  return false;
}

/** Whether a key was set, in a file, the environment or an override, rather than left at its default. */
export function isSet(tree: Dict, key: string): boolean {
  const node = nodeAt(tree, key.split("."));
  return node !== null && node.source.kind !== "default";
}
