import fc, { type Arbitrary } from "fast-check";

/** Values that JSON can hold and that code seldom expects. */
const ODD: readonly unknown[] = [
  ...[null, true, "", "x", [], {}, [[]], [null], -1, 0.5, 1e308, 2 ** 31, 2 ** 53],
  ...[{ toString: 1 }, { length: 1e9 }, { content: {} }, "\0", "../..", "\ud800", "constructor", "x".repeat(5000)],
];

/** The same value with one member, at any depth, replaced or removed. */
export function withOddMember(value: object): Arbitrary<unknown> {
  const odd = fc.oneof(fc.constantFrom(...ODD), fc.jsonValue({ maxDepth: 3 }), fc.constant(undefined));
  return fc.tuple(fc.constantFrom(...pathsOf(value, [])), odd).map(([at, by]) => replaced(value, at, by));
}

function pathsOf(value: unknown, at: readonly string[]): (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [at];
  return [at, ...Object.entries(value).flatMap(([key, item]) => pathsOf(item, [...at, key]))];
}

function replaced(value: unknown, [head, ...rest]: readonly string[], by: unknown): unknown {
  if (head === undefined) return by;
  if (Array.isArray(value)) return value.map((item, i) => (String(i) === head ? replaced(item, rest, by) : item));
  const object = value as Record<string, unknown>;
  return { ...object, [head]: replaced(object[head], rest, by) };
}
