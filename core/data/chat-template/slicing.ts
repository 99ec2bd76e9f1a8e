import { fail } from "./errors.js";

/** Python's slicing, with its clamping of bounds. */
export function slice<T>(items: readonly T[], start: number | null, stop: number | null, step: number | null): T[] {
  const [first, last, stride] = sliceBounds(items.length, start, stop, step);
  const out: T[] = [];
  for (let i = first; stride > 0 ? i < last : i > last; i += stride) out.push(items[i]);
  return out;
}

/** First index, index to stop before, and stride. */
export function sliceBounds(
  length: number,
  start: number | null,
  stop: number | null,
  step: number | null,
): [first: number, last: number, stride: number] {
  const stride = step ?? 1;
  if (stride === 0) return fail("ValueError", "slice step cannot be zero");
  const [low, high] = stride > 0 ? [0, length] : [-1, length - 1];
  const clamp = (value: number | null, fallback: number) =>
    value === null ? fallback : Math.min(high, Math.max(low, value < 0 ? value + length : value));
  return [clamp(start, stride > 0 ? low : high), clamp(stop, stride > 0 ? high : low), stride];
}
