/**
 * Balancing sequences of different lengths over data-parallel ranks.
 *
 * The work of a sequence of length L is `24576·L + L²`: linear layers and attention of a 7B-class model. Ranks get
 * parts of equal count whose work is close, by Karmarkar–Karp.
 */
import { errors } from "./errors.js";
import { balancedPartitions } from "./karmarkar-karp.js";

/** Relative cost of a sequence of `length` tokens. */
export function sequenceWorkload(length: number): number {
  return 24576 * length + length * length;
}

/** Rows of each rank, equal in number. Reorder a batch by `parts.flat()`; equal slices are then the ranks' shares. */
export function balanceRanks(lengths: ArrayLike<number>, ranks: number): number[][] {
  const work = new Float64Array(lengths.length);
  for (let i = 0; i < work.length; i++) work[i] = sequenceWorkload(lengths[i]);
  return balancedPartitions(work, ranks, { equalSize: true });
}

/** {@link balanceRanks} that keeps the rows of a group on one rank. Rows of a group must be neighbours. */
export function balanceRanksByGroup(
  lengths: ArrayLike<number>,
  groupIds: readonly string[],
  ranks: number,
): number[][] {
  const groups: number[][] = [];
  const seen = new Set<string>();
  groupIds.forEach((id, row) => {
    if (row > 0 && groupIds[row - 1] === id) {
      groups[groups.length - 1].push(row);
      return;
    }
    if (seen.has(id)) {
      throw errors.VERL_ALGORITHMS_SHAPE({
        what: `the rows of group "${id}" are not neighbours (row ${row} stands apart)`,
        fix: "Sort the batch by group first.",
      });
    }
    seen.add(id);
    groups.push([row]);
  });
  const work = groups.map((rows) => rows.reduce((sum, row) => sum + sequenceWorkload(lengths[row]), 0));
  return balancedPartitions(work, ranks, { equalSize: true }).map((part) => part.flatMap((g) => groups[g]));
}

/** Token sums per rank before (equal consecutive blocks) and after balancing, as `<prefix>/min`, `…/balanced_max`, …. */
export function unbalanceReport(
  lengths: ArrayLike<number>,
  parts: readonly (readonly number[])[],
  prefix: string,
): Record<string, number> {
  const k = parts.length;
  const block = Math.max(1, Math.floor(lengths.length / k));
  const before: number[] = [];
  for (let start = 0; start < lengths.length; start += block) {
    let sum = 0;
    for (let i = start; i < Math.min(start + block, lengths.length); i++) sum += lengths[i];
    before.push(sum);
  }
  const after = parts.map((part) => part.reduce((sum, i) => sum + lengths[i], 0));
  const [min, max] = [Math.min(...before), Math.max(...before)];
  return {
    [`${prefix}/min`]: min,
    [`${prefix}/max`]: max,
    [`${prefix}/minmax_diff`]: max - min,
    [`${prefix}/balanced_min`]: Math.min(...after),
    [`${prefix}/balanced_max`]: Math.max(...after),
    [`${prefix}/mean`]: after.reduce((a, b) => a + b, 0) / k,
  };
}
