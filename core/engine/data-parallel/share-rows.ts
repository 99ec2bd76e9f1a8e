import { balancedPartitions } from "../../algorithms/karmarkar-karp.js";
import { sequenceWorkload } from "../../algorithms/seqlen-balancing.js";
import type { SequenceBatch } from "../../data/batch/sequence-batch.js";

/**
 * The rows of each rank, ascending: shares of about equal work by sequence lengths (Karmarkar & Karp), whatever the number
 * of rows in them. `groupSize` consecutive rows stay together. With fewer groups than ranks some ranks get nothing.
 */
export function shareRows(
  { size, offsets }: Pick<SequenceBatch, "size" | "offsets">,
  ranks: number,
  groupSize = 1,
): number[][] {
  if (ranks === 1) return [Array.from({ length: size }, (_, row) => row)];
  const starts = Array.from({ length: Math.ceil(size / groupSize) }, (_, g) => g * groupSize);
  const rowsOf = (g: number) => Array.from({ length: Math.min(groupSize, size - starts[g]) }, (_, i) => starts[g] + i);
  const work = starts.map((_, g) =>
    rowsOf(g).reduce((sum, row) => sum + sequenceWorkload(offsets[row + 1] - offsets[row]), 0),
  );
  const busy = Math.min(ranks, starts.length);
  const shares = busy === 0 ? [] : balancedPartitions(work, busy).map((groups) => groups.flatMap(rowsOf));
  return [...shares, ...Array.from({ length: ranks - busy }, () => [])];
}
