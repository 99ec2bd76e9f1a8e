/** The difference of two proportions with its 95 % interval (normal approximation, independent samples). */
export function gain(before: number, after: number, n: number): { gain: number; low: number; high: number } {
  const error = Math.sqrt((before * (1 - before) + after * (1 - after)) / n);
  const difference = after - before;
  return { gain: difference, low: difference - 1.96 * error, high: difference + 1.96 * error };
}
