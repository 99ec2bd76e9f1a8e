/**
 * Statistics of n responses drawn with replacement from the N that a prompt has.
 *
 * Best and worst have closed forms, with v₁ ≤ … ≤ v_N:  E[max] = Σ v_i·((i/N)ⁿ − ((i−1)/N)ⁿ). A majority vote has none
 * that is cheap, so it is bootstrapped. `bootstrap` also serves the reference's way, in which all three are.
 */
import { total } from "./metrics.js";

/** Mean and population deviation over resamples. */
export interface Resampled {
  readonly mean: number;
  readonly std: number;
}

/** The largest of n draws; exact. */
export function bestOf(values: readonly number[], n: number): Resampled {
  return extreme(
    [...values].sort((a, b) => a - b),
    n,
  );
}

/** The smallest of n draws; exact. */
export function worstOf(values: readonly number[], n: number): Resampled {
  return extreme(
    [...values].sort((a, b) => b - a),
    n,
  );
}

function extreme(sorted: readonly number[], n: number): Resampled {
  const size = sorted.length;
  const weights = sorted.map((_, i) => ((i + 1) / size) ** n - (i / size) ** n);
  const mean = total(sorted.map((v, i) => v * weights[i]));
  const variance = total(sorted.map((v, i) => (v - mean) ** 2 * weights[i]));
  return { mean, std: Math.sqrt(Math.max(0, variance)) };
}

/** A statistic of each list of drawn indices. */
export function bootstrap(
  draws: readonly (readonly number[])[],
  statistic: (drawn: readonly number[]) => number,
): Resampled {
  const values = draws.map(statistic);
  const mean = total(values) / values.length;
  return { mean, std: Math.sqrt(total(values.map((v) => (v - mean) ** 2)) / values.length) };
}

/** Small integers for answers, equal ones alike, in order of appearance. */
export function answerIds(answers: readonly unknown[]): number[] {
  const ids = new Map<unknown, number>();
  return answers.map((answer) => {
    const id = ids.get(answer) ?? ids.size;
    ids.set(answer, id);
    return id;
  });
}

/** The first drawn index of the most frequent answer; ties go to the answer drawn first. `ids` from `answerIds`. */
export function majorityIndex(
  drawn: readonly number[],
  ids: readonly number[],
  counts = new Int32Array(ids.length),
): number {
  for (const i of drawn) counts[ids[i]] = 0;
  for (const i of drawn) counts[ids[i]]++;
  let best = drawn[0];
  for (const i of drawn) if (counts[ids[i]] > counts[ids[best]]) best = i;
  return best;
}

/** The value that belongs to the most frequent answer. */
export function majorityValue(answers: readonly unknown[], values: readonly number[]): number {
  return values[majorityIndex([...answers.keys()], answerIds(answers))];
}

/** Probability that at least one of k responses drawn **without** replacement is right, c of n being right: unbiased. */
export function passAtK(n: number, c: number, k: number): number {
  if (n - c < k) return 1;
  let miss = 1;
  for (let i = n - c + 1; i <= n; i++) miss *= 1 - k / i;
  return 1 - miss;
}
