/** What the group estimators share: scores per row, groups by label, scalars spread over tokens. */
import type { AdvantageInput, AdvantageOutput } from "../advantage.js";
import { errors } from "../errors.js";
import { sum } from "../masked.js";

/** Mean and sample standard deviation (n − 1), in float64. A group of one has mean 0 and deviation 1. */
export interface GroupStatistics {
  readonly mean: number;
  readonly std: number;
  /** All scores are equal: every advantage of the group is exactly 0. */
  readonly uniform: boolean;
}

/** s_i = Σ_t reward over **all** tokens of the row: the mask is ignored, rewards belong on tokens that count. */
export function sequenceScores(input: AdvantageInput): Float64Array {
  const { responseOffsets: offsets, tokenLevelRewards } = input;
  const scores_B = new Float64Array(offsets.length - 1);
  for (let b = 0; b < scores_B.length; b++) {
    scores_B[b] = sum(tokenLevelRewards, offsets[b], offsets[b + 1]);
  }
  return scores_B;
}

/** Number of valid tokens of each row, [B]. */
export function validLengths(input: AdvantageInput): Int32Array {
  const { responseOffsets: offsets, responseMask } = input;
  return Int32Array.from({ length: offsets.length - 1 }, (_, b) => {
    let count = 0;
    for (let r = offsets[b]; r < offsets[b + 1]; r++) if (responseMask[r]) count++;
    return count;
  });
}

/** Whether a row takes part in group statistics; by default when it has a token that counts. */
export function isEligible({ eligible, responseOffsets: offsets, responseMask }: AdvantageInput) {
  if (eligible) return (row: number): boolean => Boolean(eligible[row]);
  return (row: number): boolean => {
    for (let r = offsets[row]; r < offsets[row + 1]; r++) if (responseMask[r]) return true;
    return false;
  };
}

/** Eligible rows by group label, in order of appearance; of a session only the last row. */
export function groupRows(input: AdvantageInput): number[][] {
  const eligible = isEligible(input);
  const last = input.keys ? new Set(lastRows(input.keys).values()) : null;
  const groups = new Map<string, number[]>();
  input.groupIds.forEach((id, row) => {
    if (!eligible(row) || (last && !last.has(row))) return;
    const rows = groups.get(id);
    if (rows) rows.push(row);
    else groups.set(id, [row]);
  });
  return [...groups.values()];
}

export function statisticsOf(scores: readonly number[]): GroupStatistics {
  const n = scores.length;
  if (n === 1) return { mean: 0, std: 1, uniform: false };
  const mean = scores.reduce((a, b) => a + b, 0) / n;
  const variance = scores.reduce((sum, s) => sum + (s - mean) ** 2, 0) / (n - 1);
  return { mean, std: Math.sqrt(variance), uniform: scores.every((s) => s === scores[0]) };
}

/**
 * One scalar per row on its valid tokens; rows of a session get their last row's. Advantages and returns are equal, in the
 * float32 in which losses take them.
 */
export function broadcast(input: AdvantageInput, scalar_B: Float64Array): AdvantageOutput {
  const advantages = spread(input, scalar_B, new Float32Array(input.responseMask.length));
  return { advantages, returns: advantages };
}

/** {@link broadcast} into an array of zeros. */
export function spread<T extends Float32Array | Float64Array>(
  { responseOffsets: offsets, responseMask, keys }: AdvantageInput,
  scalar_B: Float64Array,
  into: T,
): T {
  const last = keys && lastRows(keys);
  for (let b = 0; b < scalar_B.length; b++) {
    const scalar = keys && last ? scalar_B[last.get(sessionOf(keys[b]))!] : scalar_B[b];
    if (scalar === 0) continue;
    const end = offsets[b + 1];
    for (let r = offsets[b]; r < end; r++) if (responseMask[r]) into[r] = scalar;
  }
  return into;
}

/** How many groups carry no signal, and with which score; for the step's report. */
export function uniformGroups(input: AdvantageInput): {
  readonly groups: number;
  readonly uniform: number;
  readonly scores: ReadonlyMap<number, number>;
} {
  const scores_B = sequenceScores(input);
  const groups = groupRows(input).filter((rows) => rows.length > 1);
  const scores = new Map<number, number>();
  let uniform = 0;
  for (const rows of groups) {
    const score = scores_B[rows[0]];
    if (!rows.every((row) => scores_B[row] === score)) continue;
    uniform++;
    scores.set(score, (scores.get(score) ?? 0) + 1);
  }
  return { groups: groups.length, uniform, scores };
}

/** Row of highest index of each `<uid>_<session>`. */
function lastRows(keys: readonly string[]): Map<string, number> {
  const last = new Map<string, number>();
  keys.forEach((key, row) => {
    const session = sessionOf(key);
    const known = last.get(session);
    if (known === undefined || indexOf(key) > indexOf(keys[known])) last.set(session, row);
  });
  return last;
}

function sessionOf(key: string): string {
  return key.slice(0, key.lastIndexOf("_"));
}

function indexOf(key: string): number {
  const index = Number(key.slice(key.lastIndexOf("_") + 1));
  if (!Number.isInteger(index)) {
    throw errors.VERL_ALGORITHMS_SHAPE({ what: `the row key "${key}" does not have the form <uid>_<session>_<index>` });
  }
  return index;
}
