/** Dense group indices from labels, and statistics by index: the array form for code that works without labels. */

/**
 * Labels ranked by sorted order. With `numericAsIs` (the reference's rule), labels that are all integers, within 1e-6,
 * or numeric strings are the indices themselves; gaps may then be large.
 */
export function groupIndex(labels: readonly (string | number)[], options: { numericAsIs?: boolean } = {}): number[] {
  if (options.numericAsIs) {
    const numbers = labels.map((label) => (label === "" ? Number.NaN : Number(label)));
    if (numbers.every((x) => Math.abs(x - Math.round(x)) <= 1e-6)) return numbers.map(Math.round);
  }
  const sorted = [...new Set(labels)].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const rank = new Map(sorted.map((label, i) => [label, i]));
  return labels.map((label) => rank.get(label)!);
}

/** Mean, sample deviation and count by group index. A group of one has mean 0 and deviation 1; absent ones too. */
export function groupMeanStd(scores: ArrayLike<number>, index: ArrayLike<number>, varianceFloor = 0) {
  const size = 1 + Array.from(index).reduce((a, b) => Math.max(a, b), -1);
  const [count, mean, std] = [new Float64Array(size), new Float64Array(size), new Float64Array(size)];
  for (let i = 0; i < index.length; i++) {
    count[index[i]]++;
    mean[index[i]] += scores[i];
  }
  for (let g = 0; g < size; g++) mean[g] = count[g] > 1 ? mean[g] / count[g] : 0;
  for (let i = 0; i < index.length; i++) std[index[i]] += (scores[i] - mean[index[i]]) ** 2;
  for (let g = 0; g < size; g++)
    std[g] = count[g] > 1 ? Math.sqrt(Math.max(std[g] / (count[g] - 1), varianceFloor)) : 1;
  return { mean, std, count };
}
