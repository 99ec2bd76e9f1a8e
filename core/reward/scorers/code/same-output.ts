import { JsonFloat, type LosslessJson } from "../../../data/lossless-json.js";

/**
 * Whether a program printed what it should. Trailing white space of lines and trailing empty lines do not count. With a
 * tolerance above 0 texts are compared word by word instead, and numbers may differ by it, absolutely or relatively.
 */
export function sameText(actual: string, expected: string, tolerance = 0): boolean {
  if (tolerance === 0) return tidy(actual) === tidy(expected);
  const [left, right] = [words(actual), words(expected)];
  return left.length === right.length && left.every((word, i) => sameWord(word, right[i], tolerance));
}

/** verl's comparison: only newlines at the end do not count. */
export const sameTextLikeVerl = (actual: string, expected: string): boolean =>
  withoutNewlines(actual) === withoutNewlines(expected);

/**
 * Whether a function returned what it should. Integers of any size compare exactly, 2 equals 2.0, keys have no order. An
 * integer beyond 2^53 may stand as a text, as readers of data sets leave it.
 */
export function sameValue(actual: LosslessJson, expected: LosslessJson, tolerance = 0): boolean {
  if (Array.isArray(actual) && Array.isArray(expected)) {
    return actual.length === expected.length && actual.every((item, i) => sameValue(item, expected[i], tolerance));
  }
  if (actual instanceof Map && expected instanceof Map) {
    return (
      actual.size === expected.size &&
      [...actual].every(([key, item]) => expected.has(key) && sameValue(item, expected.get(key)!, tolerance))
    );
  }
  if (typeof actual === "bigint" && typeof expected !== "number") return String(actual) === String(expected);
  if (isNumber(actual) && isNumber(expected)) {
    const [left, right] = [Number(actual), Number(expected)];
    return Object.is(left, right) || left === right || isNear(left, right, tolerance);
  }
  return actual === expected;
}

function tidy(text: string): string {
  return text
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")
    .trimEnd();
}

function withoutNewlines(text: string): string {
  let end = text.length;
  while (text[end - 1] === "\n") end--;
  return text.slice(0, end);
}

const words = (text: string) => text.split(/\s+/).filter((word) => word !== "");

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

function sameWord(left: string, right: string, tolerance: number): boolean {
  if (left === right) return true;
  return NUMBER.test(left) && NUMBER.test(right) && isNear(Number(left), Number(right), tolerance);
}

function isNear(left: number, right: number, tolerance: number): boolean {
  return Math.abs(left - right) <= tolerance * Math.max(1, Math.abs(right));
}

const isNumber = (value: LosslessJson): value is number | bigint | JsonFloat =>
  typeof value === "number" || typeof value === "bigint" || value instanceof JsonFloat;
