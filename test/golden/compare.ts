import { isTensor, type Tolerance } from "./case.js";

/**
 * Null when `actual` equals `expected` within the tolerance, else where and how it differs. Tensors compare with any
 * flat array. `finite` holds the right values where the reference has NaN.
 */
export function compare(
  expected: unknown,
  actual: unknown,
  tol: Tolerance,
  path: string,
  finite?: unknown,
): string | null {
  if (isTensor(expected)) {
    const flat = flatten(isTensor(actual) ? actual.data : actual);
    if (!flat) return `${path}: no numbers`;
    if (flat.length !== expected.data.length) return `${path}: ${flat.length} values, expected ${expected.data.length}`;
    const right = finite === undefined ? null : flatten(finite);
    const rightAt = (i: number) => (right?.length === 1 ? right[0] : right?.[i]);
    return first(expected.data.map((e, i) => compareNumber(e, flat[i], tol, `${path}[${i}]`, rightAt(i))));
  }
  if (typeof expected === "number") {
    const value = typeof actual === "number" ? actual : flatten(actual)?.[0];
    return value === undefined
      ? `${path}: missing`
      : compareNumber(expected, value, tol, path, typeof finite === "number" ? finite : undefined);
  }
  if (Array.isArray(expected)) {
    const list = Array.isArray(actual) ? actual : ArrayBuffer.isView(actual) ? flatten(actual) : null;
    if (!list || list.length !== expected.length) return `${path}: not a list of ${expected.length}`;
    return first(expected.map((e, i) => compare(e, list[i], tol, `${path}[${i}]`)));
  }
  if (typeof expected === "object" && expected !== null) {
    if (typeof actual !== "object" || actual === null) return `${path}: not an object`;
    const values = actual as Record<string, unknown>;
    return first(Object.entries(expected).map(([k, e]) => compare(e, values[k], tol, `${path}.${k}`)));
  }
  if (typeof expected === "boolean" && typeof actual === "number") actual = actual !== 0;
  return (expected ?? null) === (actual ?? null) ? null : `${path}: ${show(actual)}, expected ${show(expected)}`;
}

function compareNumber(expected: number, actual: number, tol: Tolerance, path: string, right?: number): string | null {
  if (Number.isNaN(expected)) {
    if (Number.isNaN(actual)) return null;
    if (right !== undefined && Math.abs(actual - right) <= tol.atol + tol.rtol * Math.abs(right)) return null;
  }
  if (expected === actual || Math.abs(actual - expected) <= tol.atol + tol.rtol * Math.abs(expected)) return null;
  return `${path}: ${actual}, expected ${expected}`;
}

function flatten(value: unknown): readonly number[] | null {
  if (typeof value === "number") return [value];
  if (typeof value === "boolean") return [Number(value)];
  if (isTensor(value)) return value.data;
  if (ArrayBuffer.isView(value)) return Array.from(value as unknown as ArrayLike<number>);
  if (!Array.isArray(value)) return null;
  const parts = value.map(flatten);
  return parts.every((p) => p !== null) ? parts.flatMap((p) => p as number[]) : null;
}

function first(problems: readonly (string | null)[]): string | null {
  return problems.find((p) => p !== null) ?? null;
}

const show = (value: unknown) => (value === undefined ? "missing" : JSON.stringify(value));
