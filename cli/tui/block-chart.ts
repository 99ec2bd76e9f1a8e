import { formatNumber, type Point } from "../../core/tracking/index.js";

const EIGHTHS = " ▁▂▃▄▅▆▇█";

/**
 * A curve as columns of blocks, `height` lines from the top, with the largest and the smallest value at the left. Steps share
 * columns where there are more of them; what is not finite is left out.
 */
export function blockChart(points: readonly Point[], width: number, height: number): string[] {
  const finite = points.filter(({ value }) => Number.isFinite(value));
  if (finite.length === 0) return Array.from({ length: height }, (_, i) => (i === 0 ? "no value yet" : ""));
  const [low, high] = finite.reduce(
    ([a, b], { value }) => [Math.min(a, value), Math.max(b, value)],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  );
  const labels = [formatNumber(high), formatNumber(low)];
  const margin = Math.max(...labels.map((label) => label.length)) + 1;
  const columns = columnMeans(finite, Math.max(1, width - margin));
  const eighths = columns.map((mean) => {
    if (mean === null) return 0;
    // The smallest value keeps a mark, and a constant curve stands at half height.
    const share = high === low ? 0.5 : (mean - low) / (high - low);
    return 1 + Math.round(share * (height * 8 - 1));
  });
  return Array.from({ length: height }, (_, row) => {
    const label = row === 0 ? labels[0] : row === height - 1 ? labels[1] : "";
    const below = (height - 1 - row) * 8;
    const blocks = eighths.map((filled) => EIGHTHS[Math.max(0, Math.min(8, filled - below))]).join("");
    return `${label.padStart(margin - 1)} ${blocks}`.trimEnd();
  });
}

function columnMeans(points: readonly Point[], width: number): (number | null)[] {
  const [first, last] = [points[0].step, points[points.length - 1].step];
  const columns = Math.min(width, last - first + 1);
  const sums = Array.from({ length: columns }, () => ({ sum: 0, count: 0 }));
  for (const { step, value } of points) {
    const column = sums[Math.min(columns - 1, Math.floor(((step - first) / (last - first + 1)) * columns + 1e-9))];
    column.sum += value;
    column.count++;
  }
  return sums.map(({ sum, count }) => (count === 0 ? null : sum / count));
}
