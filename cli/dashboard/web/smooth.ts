/**
 * Exponential moving average, corrected for its start as Adam is: the first value stays what it is, a constant stays constant.
 * `weight` is what remains of the past at each point, in [0, 1).
 */
export function smooth(values: readonly number[], weight: number): number[] {
  let [sum, norm] = [0, 0];
  return values.map((value) => {
    sum = weight * sum + (1 - weight) * value;
    norm = weight * norm + (1 - weight);
    return sum / norm;
  });
}

/** Index of the value that is nearest; values ascend. -1 for none. */
export function nearestIndex(ascending: readonly number[], wanted: number): number {
  if (ascending.length === 0) return -1;
  let [low, high] = [0, ascending.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (ascending[middle] <= wanted) low = middle;
    else high = middle;
  }
  return Math.abs(ascending[high] - wanted) < Math.abs(ascending[low] - wanted) ? high : low;
}
