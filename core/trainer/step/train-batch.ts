import { placeOutcomes } from "../../algorithms/index.js";
import type { Column, SequenceBatch } from "../../data/batch/sequence-batch.js";
import { packSequences } from "../../data/batch/sequence-batch.js";
import type { TrainingRow } from "./training-row.js";

/**
 * Everything that one training step knows about its trajectories. Per-token arrays are flat, [R], in the layout of
 * `SequenceBatch`; stages of the pipeline fill them in turn.
 */
export interface TrainBatch {
  readonly rows: readonly TrainingRow[];
  /** Changed by {@link rejectTokens} alone. */
  sequences: SequenceBatch;
  /** The sampler's log-probabilities; 0 where the mask is 0, [R]. */
  readonly rolloutLogProb: Float32Array;
  /** Outcome scores on the last token that counts, [R]. */
  tokenLevelScores: ArrayLike<number>;
  /** Score of a greedy response to the row's prompt, [B]. */
  readonly rewardBaselines: Float64Array | null;
  /** 1 for rows that take part in group statistics and training, [B]. */
  eligible: Uint8Array;
  /** What the loss's denominators count: mask [R] and rows [B]; with `count_rejected_tokens` also what was rejected. */
  counted: { readonly mask: ArrayLike<number>; readonly rows: Uint8Array };
  /** Rows that the updates take, repeated or left out as a draw has it; null = each once. */
  drawn: readonly number[] | null;
  oldLogProb: Float32Array | null;
  /** Entropy of the policy before the update, [R]. */
  entropy: Float32Array | null;
  /** Σπ² of the policy before the update, [R]. */
  sumPiSquared: Float32Array | null;
  refLogProb: Float32Array | null;
  /** The critic's values before its update, [R]. */
  values: Float32Array | null;
  /** Weights of rollout correction, [R]. */
  rolloutIsWeights: ArrayLike<number> | null;
  tokenLevelRewards: ArrayLike<number>;
  advantages: ArrayLike<number> | null;
  returns: ArrayLike<number> | null;
}

/**
 * Rows whose score or baseline is missing (abstained, failed), whose sampler gave no log-probabilities or that have no token
 * of the policy keep their place but get an all-zero mask: they are neither trained on nor part of group statistics.
 * `baselines` are by uid; null where none are needed.
 */
export function makeTrainBatch(
  rows: readonly TrainingRow[],
  temperature: number,
  baselines: ReadonlyMap<string, number> | null = null,
): TrainBatch {
  const hasBaseline = (row: TrainingRow) => baselines === null || baselines.has(row.uid);
  const eligible = Uint8Array.from(rows, (row) =>
    row.score !== null && row.rolloutLogProbs !== null && hasPolicyTokens(row) && hasBaseline(row) ? 1 : 0,
  );
  const sequences = packSequences(
    rows.map((row, b) => ({
      promptIds: row.promptIds,
      responseIds: row.responseIds,
      responseMask: eligible[b] ? row.responseMask : new Float32Array(row.responseIds.length),
    })),
    { temperature },
  );
  const rolloutLogProb = new Float32Array(sequences.responseMask.length);
  rows.forEach((row, b) => {
    if (row.rolloutLogProbs) rolloutLogProb.set(row.rolloutLogProbs, sequences.responseOffsets[b]);
  });
  const tokenLevelScores = outcomes(rows, sequences);
  return {
    rows,
    sequences,
    rolloutLogProb,
    tokenLevelScores,
    rewardBaselines: baselines && Float64Array.from(rows, ({ uid }) => baselines.get(uid) ?? 0),
    eligible,
    counted: { mask: sequences.responseMask, rows: eligible },
    drawn: null,
    oldLogProb: null,
    entropy: null,
    sumPiSquared: null,
    refLogProb: null,
    values: null,
    rolloutIsWeights: null,
    tokenLevelRewards: tokenLevelScores,
    advantages: null,
    returns: null,
  };
}

/** Whether anything of the step can be trained on. */
export const isTrainable = ({ eligible }: Pick<TrainBatch, "eligible">): boolean => eligible.some((flag) => flag !== 0);

export const hasPolicyTokens = (row: TrainingRow): boolean =>
  Array.prototype.some.call(row.responseMask, (m: number) => m !== 0);

/**
 * Take tokens out of the step: `mask` [R] replaces the response mask. Scores move to the last token that is left, and rows
 * without any are left out of training and of group statistics. The denominators follow unless `stillCounted`.
 */
export function rejectTokens(batch: TrainBatch, mask: ArrayLike<number>, stillCounted = false): void {
  const responseMask = Float32Array.from(mask);
  const { responseOffsets: offsets } = batch.sequences;
  batch.sequences = { ...batch.sequences, responseMask };
  batch.eligible = batch.eligible.map((flag, b) =>
    flag && responseMask.subarray(offsets[b], offsets[b + 1]).some((m) => m !== 0) ? 1 : 0,
  );
  if (!stillCounted) batch.counted = { mask: responseMask, rows: batch.eligible };
  batch.tokenLevelScores = outcomes(batch.rows, batch.sequences);
  batch.tokenLevelRewards = batch.tokenLevelScores;
}

/** Leave every row out of training. */
export function excludeAll(batch: TrainBatch): void {
  batch.eligible = new Uint8Array(batch.rows.length);
}

/** The same sequences with the columns that the actor's loss reads. */
export function withColumns(
  batch: SequenceBatch,
  columns: Readonly<Record<string, ArrayLike<number> | null>>,
): SequenceBatch {
  const map = new Map<string, Column>(batch.columns);
  for (const [name, data] of Object.entries(columns)) {
    if (data) map.set(name, { extent: "token", data: data instanceof Float32Array ? data : new Float32Array(data) });
  }
  return { ...batch, columns: map };
}

function outcomes(rows: readonly TrainingRow[], { responseMask, responseOffsets }: SequenceBatch): Float32Array {
  const scores_B = Float64Array.from(rows, (row) => row.score ?? 0);
  return Float32Array.from(placeOutcomes(scores_B, responseMask, responseOffsets));
}
