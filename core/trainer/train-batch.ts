import type { Column, SequenceBatch } from "../data/sequence-batch.js";
import { packSequences } from "../data/sequence-batch.js";
import type { TrainingRow } from "./training-row.js";

/**
 * Everything that one training step knows about its trajectories. Per-token arrays are flat, [R], in the layout of
 * `SequenceBatch`; stages of the pipeline fill them in turn.
 */
export interface TrainBatch {
  readonly rows: readonly TrainingRow[];
  readonly sequences: SequenceBatch;
  /** The sampler's log-probabilities; 0 where the mask is 0, [R]. */
  readonly rolloutLogProb: Float32Array;
  /** Outcome scores on the last valid response token, [R]. */
  readonly tokenLevelScores: Float32Array;
  /** 1 for rows that take part in group statistics and training, [B]. */
  readonly eligible: Uint8Array;
  oldLogProb: Float32Array | null;
  /** Entropy of the policy before the update, [R]. */
  entropy: Float32Array | null;
  refLogProb: Float32Array | null;
  tokenLevelRewards: ArrayLike<number>;
  advantages: ArrayLike<number> | null;
  returns: ArrayLike<number> | null;
}

/**
 * Rows whose score is missing (abstained, failed) or whose sampler gave no log-probabilities keep their place but get an
 * all-zero mask: they are neither trained on nor part of group statistics.
 */
export function makeTrainBatch(rows: readonly TrainingRow[], temperature: number): TrainBatch {
  const eligible = Uint8Array.from(rows, (row) => (row.score !== null && row.rolloutLogProbs !== null ? 1 : 0));
  const sequences = packSequences(
    rows.map((row, b) => ({
      promptIds: row.promptIds,
      responseIds: row.responseIds,
      responseMask: eligible[b] ? row.responseMask : new Float32Array(row.responseIds.length),
    })),
    { temperature },
  );
  const total = sequences.responseOffsets[rows.length];
  const rolloutLogProb = new Float32Array(total);
  const tokenLevelScores = new Float32Array(total);
  rows.forEach((row, b) => {
    const start = sequences.responseOffsets[b];
    if (row.rolloutLogProbs) rolloutLogProb.set(row.rolloutLogProbs, start);
    const last = lastValidToken(sequences.responseMask, start, sequences.responseOffsets[b + 1]);
    if (last >= 0 && row.score !== null) tokenLevelScores[last] = row.score;
  });
  return {
    rows,
    sequences,
    rolloutLogProb,
    tokenLevelScores,
    eligible,
    oldLogProb: null,
    entropy: null,
    refLogProb: null,
    tokenLevelRewards: tokenLevelScores,
    advantages: null,
    returns: null,
  };
}

/** The same sequences with the columns that the actor's loss reads. */
export function withColumns(
  batch: SequenceBatch,
  columns: Readonly<Record<string, ArrayLike<number> | null>>,
): SequenceBatch {
  const map = new Map<string, Column>(batch.columns);
  for (const [name, data] of Object.entries(columns)) {
    if (data) map.set(name, { extent: "token", data: data instanceof Float32Array ? data : Float32Array.from(data) });
  }
  return { ...batch, columns: map };
}

function lastValidToken(mask: Float32Array, start: number, end: number): number {
  for (let r = end - 1; r >= start; r--) if (mask[r] !== 0) return r;
  return -1;
}
