import type { AdvantageConfig, AdvantageInput, PolicyLossConfig } from "../../../core/algorithms/advantage.js";
import type { GlobalCounts, LossInput, OutputName } from "../../../core/algorithms/algebra.js";
import { countsOf } from "../../../core/algorithms/counts.js";

export interface RowFixture {
  readonly mask: readonly number[];
  /** Model outputs and columns of this row, per token. */
  readonly outputs: Partial<Record<OutputName, readonly number[]>>;
  readonly columns: Readonly<Record<string, readonly number[]>>;
}

export function offsetsOf(rows: readonly { readonly mask: readonly number[] }[]): Int32Array {
  const offsets = new Int32Array(rows.length + 1);
  rows.forEach((row, b) => {
    offsets[b + 1] = offsets[b] + row.mask.length;
  });
  return offsets;
}

/** A micro-batch of rows; counts default to its own. */
export function lossInputOf(rows: readonly RowFixture[], counts?: GlobalCounts): LossInput {
  const responseOffsets = offsetsOf(rows);
  const responseMask = rows.flatMap((row) => row.mask);
  const names = Object.keys(rows[0].outputs) as OutputName[];
  const columns = Object.keys(rows[0].columns);
  return {
    outputs: Object.fromEntries(names.map((n) => [n, Float64Array.from(rows.flatMap((row) => row.outputs[n] ?? []))])),
    columns: new Map(columns.map((n) => [n, { extent: "token", data: rows.flatMap((row) => row.columns[n]) }])),
    responseMask,
    responseOffsets,
    counts: counts ?? countsOf({ responseOffsets, responseMask }),
  };
}

/** One token per row with the given rewards, groups and masks. */
export function outcomeInput(
  rewards: readonly number[],
  groupIds: readonly string[],
  more: Partial<AdvantageInput> & { mask?: readonly number[] } = {},
): AdvantageInput {
  return {
    responseOffsets: Int32Array.from({ length: rewards.length + 1 }, (_, i) => i),
    responseMask: more.mask ?? rewards.map(() => 1),
    tokenLevelRewards: rewards,
    groupIds,
    ...more,
  };
}

export const advantageConfig = (part: Partial<AdvantageConfig> = {}): AdvantageConfig => ({
  gamma: 1,
  lam: 1,
  normAdvByStd: true,
  extra: {},
  ...part,
});

export const policyConfig = (part: Partial<PolicyLossConfig> = {}): PolicyLossConfig => ({
  clipRatioLow: 0.2,
  clipRatioHigh: 0.2,
  clipRatioC: 3,
  lossAggMode: "token-mean",
  hasRolloutIsWeights: false,
  extra: {},
  ...part,
});
