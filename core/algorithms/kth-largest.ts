/**
 * The k-th largest of some numbers (Hoare's quickselect): linear time on average. −Infinity when there are fewer. Reorders
 * `values`.
 */
export function kthLargest(values: Float64Array, k: number): number {
  if (k > values.length) return Number.NEGATIVE_INFINITY;
  let low = 0;
  let high = values.length - 1;
  const target = values.length - k;
  while (low < high) {
    const pivot = values[(low + high) >> 1];
    let i = low;
    let j = high;
    while (i <= j) {
      while (values[i] < pivot) i++;
      while (values[j] > pivot) j--;
      if (i > j) break;
      const swapped = values[i];
      values[i++] = values[j];
      values[j--] = swapped;
    }
    if (target <= j) high = j;
    else if (target >= i) low = i;
    else break;
  }
  return values[target];
}
