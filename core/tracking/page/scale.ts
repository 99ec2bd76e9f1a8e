/** Maps values to a length, with ticks at round numbers. */
export interface Scale {
  readonly at: (value: number) => number;
  readonly ticks: readonly number[];
}

/** Below this share of their size two values are one: ticks between them would be the same number, or without end. */
const SAME = 1e-12;

/** Sizes below it are taken for 0: their parts lose digits, and end at 0. */
const TINY = 1e-300;

/**
 * A linear scale over `from` to `to` pixels. With `round` the range is widened to round numbers; a single value, and values
 * that differ by rounding alone, get room around them.
 */
export function linearScale(low: number, high: number, from: number, to: number, round = false): Scale {
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (high - low <= size * SAME || size < TINY) {
    const room = size < TINY ? 1 : size * 0.1;
    [low, high] = [low - room, high + room];
  }
  const step = roundStep((high - low) / 4);
  if (round) [low, high] = [Math.floor(low / step + 1e-9) * step, Math.ceil(high / step - 1e-9) * step];
  const ticks: number[] = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) ticks.push(i === 0 ? 0 : i * step);
  return { at: (value) => from + ((value - low) / (high - low)) * (to - from), ticks };
}

/** A logarithmic scale for positive values. */
export function logScale(low: number, high: number, from: number, to: number): Scale {
  let [first, last] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))];
  if (first === last) [first, last] = [first - 1, last + 1];
  const step = Math.max(1, Math.ceil((last - first) / 4));
  const ticks: number[] = [];
  for (let power = first; power <= last; power += step) ticks.push(Number(`1e${power}`));
  return { at: (value) => from + ((Math.log10(value) - first) / (last - first)) * (to - from), ticks };
}

/** The smallest of 1, 2, 5 times a power of ten that is at least `rough`. */
function roundStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * ([1, 2, 5, 10].find((m) => m * power >= rough * (1 - 1e-9)) ?? 10);
}

/** A few whole steps from first to last. */
export function stepTicks(first: number, last: number): number[] {
  if (first === last) return [first];
  return linearScale(first, last, 0, 1).ticks.filter((tick) => Number.isInteger(tick) && tick >= first && tick <= last);
}
