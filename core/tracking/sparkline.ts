const BARS = "▁▂▃▄▅▆▇█";

/**
 * A curve in one line of text: `width` columns from the first to the last step, each the mean of its points; a space where
 * there is none. `range` puts several curves on one scale.
 */
export function sparkline(
  points: readonly { readonly step: number; readonly value: number }[],
  width: number,
  range: {
    readonly steps?: readonly [first: number, last: number];
    readonly values?: readonly [low: number, high: number];
  } = {},
): string {
  const finite = points.filter(({ value }) => Number.isFinite(value));
  if (finite.length === 0) return "";
  const [first, last] = range.steps ?? extent(finite.map(({ step }) => step));
  const [low, high] = range.values ?? extent(finite.map(({ value }) => value));
  const columns = Array.from({ length: last === first ? 1 : Math.min(width, last - first + 1) }, () => ({
    sum: 0,
    count: 0,
  }));
  for (const { step, value } of finite) {
    const share = last === first ? 0 : (step - first) / (last - first);
    const column = columns[Math.min(columns.length - 1, Math.floor(share * columns.length))];
    column.sum += value;
    column.count++;
  }
  return columns
    .map(({ sum, count }) => {
      if (count === 0) return " ";
      const share = high === low ? 0.5 : (sum / count - low) / (high - low);
      return BARS[Math.max(0, Math.min(BARS.length - 1, Math.floor(share * BARS.length)))];
    })
    .join("");
}

/** Smallest and largest of a list that is not empty. */
function extent(values: readonly number[]): [number, number] {
  return [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
}
