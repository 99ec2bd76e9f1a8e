import { balancedPartitions, greedyPartition } from "../../../core/algorithms/karmarkar-karp.js";
import {
  ceilDiv,
  inverseOrder,
  planMicroBatches,
  restoreOrder,
  roundUp,
} from "../../../core/algorithms/micro-batches.js";
import { balanceRanksByGroup, sequenceWorkload, unbalanceReport } from "../../../core/algorithms/seqlen-balancing.js";
import type { Family } from "../case.js";

function coverage(parts: readonly number[][], n: number, equalSize = false): string | null {
  const all = parts.flat().sort((a, b) => a - b);
  if (all.length !== n || all.some((row, i) => row !== i)) return "not every index exactly once";
  if (parts.some((p) => p.length === 0)) return "an empty part";
  return equalSize && parts.some((p) => p.length !== parts[0].length) ? "parts of different size" : null;
}

export const seqlenBalancingFamily: Family = {
  balanced_partitions(c) {
    const lengths = c.input<number[]>("seqlen_list");
    const equalSize = c.param("equal_size", false);
    const partitions = balancedPartitions(lengths, c.param("k_partitions"), { equalSize });
    const sums = partitions.map((part) => part.reduce((sum, i) => sum + lengths[i], 0));
    const [min, max] = [Math.min(...sums), Math.max(...sums)];
    const spread = c.outputs.spread as number;
    // Index lists are reproducible with the reference's tie-breaking, which this implementation follows.
    return {
      outputs: { partitions, part_sums: sums, spread: max - min, min, max },
      checked: {
        coverage: coverage(partitions, lengths.length, equalSize),
        spread: max - min <= spread ? null : `spread ${max - min}, reference ${spread}`,
      },
    };
  },

  greedy_partition(c) {
    const equalSize = c.param("equal_size", false);
    return { outputs: { partitions: greedyPartition(c.input("seqlen_list"), c.param("k_partitions"), { equalSize }) } };
  },

  unbalance_report: (c) => ({
    metrics: unbalanceReport(c.input("seqlen_list"), c.input("partitions"), c.param("prefix")),
  }),

  workload: (c) => ({ outputs: { workload: c.data("seqlen").map(sequenceWorkload) } }),

  micro_batches(c) {
    const lengths = c.input<number[]>("lengths");
    const maxTokens = c.param<number>("max_token_len");
    const width = c.param<number>("padded_width");
    if (maxTokens < width) throw new Error(`budget ${maxTokens} below the padded width ${width}`);
    const parts = planMicroBatches(lengths, {
      maxTokens,
      strict: false,
      minMicroBatches: c.param("min_num_micro_batch"),
      multipleOf: c.param("num_batches_divided_by"),
      groupSize: c.param("force_group_size"),
      interleave: c.param("use_dynamic_bsz_balance", true),
    });
    return {
      outputs: { num_micro_batches: parts.length },
      checked: { micro_batch_indices: coverage(parts, lengths.length), tokens: null },
    };
  },

  restore_order(c) {
    const parts = c.input<number[][]>("micro_batch_indices");
    return { outputs: { restored: restoreOrder(c.data("data"), parts), reverse_index: inverseOrder(parts) } };
  },

  group_balanced_partitions(c) {
    const [lengths, uids] = [c.input<number[]>("seqlen_list"), c.input<string[]>("uid_list")];
    const parts = balanceRanksByGroup(lengths, uids, c.param("k_partitions"));
    const split = uids.some((uid) => parts.filter((part) => part.some((row) => uids[row] === uid)).length > 1);
    return { checked: { partitions: split ? "a group is split" : coverage(parts, lengths.length, true) } };
  },

  ceildiv_roundup(c) {
    const [a, b] = [c.input<number>("a"), c.input<number>("b")];
    return { outputs: { ceildiv: ceilDiv(a, b), roundup: roundUp(a, b) } };
  },
};
