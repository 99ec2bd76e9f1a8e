/**
 * Sum in NumPy's order: eight running sums over blocks of at most 128 numbers, halves beyond. Rounds less than a plain
 * loop, and reproduces the last bit of the reference's means.
 */
export function pairwiseSum(values: ArrayLike<number>, from = 0, to = values.length): number {
  const n = to - from;
  if (n < 8) {
    let sum = 0;
    for (let i = from; i < to; i++) sum += values[i];
    return sum;
  }
  if (n > 128) {
    const middle = from + Math.floor(n / 2) - (Math.floor(n / 2) % 8);
    return pairwiseSum(values, from, middle) + pairwiseSum(values, middle, to);
  }
  const r = Array.from({ length: 8 }, (_, k) => values[from + k]);
  const blocks = n - (n % 8);
  for (let i = 8; i < blocks; i += 8) for (let k = 0; k < 8; k++) r[k] += values[from + i + k];
  let sum = r[0] + r[1] + (r[2] + r[3]) + (r[4] + r[5] + (r[6] + r[7]));
  for (let i = from + blocks; i < to; i++) sum += values[i];
  return sum;
}
