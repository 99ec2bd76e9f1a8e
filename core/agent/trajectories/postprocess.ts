import type { Logger } from "../../host/types.js";

/** A trajectory to be padded. Lists over response tokens have one length. */
export interface UnpaddedTrajectory {
  readonly promptIds: ArrayLike<number>;
  readonly responseIds: ArrayLike<number>;
  readonly responseMask: ArrayLike<number>;
  readonly responseLogProbs: ArrayLike<number> | null;
  /** Outcome score, or null. */
  readonly score: number | null;
  /** Positions of prompt and response on the axes of a processor, [A, T] row-major; absent: on every axis tokens count 0, 1, 2, … */
  readonly positions?: Int32Array | null;
}

export interface PadOptions {
  /** P, the padded prompt length. */
  readonly promptLength: number;
  /** R, the padded response length. */
  readonly responseLength: number;
  /** May be any id, also one that occurs as a real token: masks come from lengths alone. */
  readonly padTokenId: number;
  readonly logger?: Pick<Logger, "warn">;
}

/** Rectangular arrays in row-major order, B trajectories wide; the padded form that `DataProto` batches hold. */
export interface PaddedBatch {
  /** Left-padded, [B, P]. */
  readonly prompts: Int32Array;
  /** Right-padded, [B, R]. */
  readonly responses: Int32Array;
  /** 1 for sampled tokens, 0 for the others and for padding, [B, R]. */
  readonly responseMask: Int32Array;
  /** Prompt and response side by side, [B, P + R]. */
  readonly inputIds: Int32Array;
  /** 1 for real tokens, [B, P + R]. */
  readonly attentionMask: Int32Array;
  /** Left padding counts as 0, right padding repeats the last position, [B, P + R]. */
  readonly positionIds: Int32Array;
  /**
   * Of models with rotary embeddings on several axes (M-RoPE), [B, 1 + A, P + R]: a row that counts tokens, then one for each axis; 1
   * where padded. Null where no trajectory has positions of its own.
   */
  readonly axisPositionIds: Int32Array | null;
  /** 0 where padded; null unless every trajectory has them, [B, R]. */
  readonly rolloutLogProbs: Float32Array | null;
  /** The score on the last response token, 0 elsewhere; null unless every trajectory has one, [B, R]. */
  readonly rmScores: Float32Array | null;
}

/** Pad trajectories to one shape: prompts are cut and padded on the left, responses on the right. */
export function padTrajectories(trajectories: readonly UnpaddedTrajectory[], options: PadOptions): PaddedBatch {
  const { promptLength: P, responseLength: R, padTokenId, logger } = options;
  const B = trajectories.length;
  const batch: PaddedBatch = {
    prompts: new Int32Array(B * P).fill(padTokenId),
    responses: new Int32Array(B * R).fill(padTokenId),
    responseMask: new Int32Array(B * R),
    inputIds: new Int32Array(B * (P + R)).fill(padTokenId),
    attentionMask: new Int32Array(B * (P + R)),
    positionIds: new Int32Array(B * (P + R)),
    axisPositionIds: axisPositions(trajectories, P, R),
    rolloutLogProbs: trajectories.every((t) => t.responseLogProbs) ? new Float32Array(B * R) : null,
    rmScores: trajectories.every((t) => t.score !== null) ? new Float32Array(B * R) : null,
  };
  const cut = trajectories.filter((t) => t.promptIds.length > P).length;
  if (cut > 0) logger?.warn(`${cut} of ${B} prompts are longer than ${P} tokens; their beginning is cut off`);

  trajectories.forEach((trajectory, b) => {
    const prompt = Array.from(trajectory.promptIds).slice(-P);
    const response = Array.from(trajectory.responseIds).slice(0, R);
    const start = b * (P + R) + P - prompt.length;
    batch.prompts.set(prompt, b * P + P - prompt.length);
    batch.responses.set(response, b * R);
    batch.inputIds.set([...prompt, ...response], start);
    batch.attentionMask.fill(1, start, start + prompt.length + response.length);
    for (let i = start; i < (b + 1) * (P + R); i++) {
      batch.positionIds[i] = Math.max(0, Math.min(i - start, prompt.length + response.length - 1));
    }
    for (let t = 0; t < response.length; t++) {
      batch.responseMask[b * R + t] = trajectory.responseMask[t];
      if (batch.rolloutLogProbs) batch.rolloutLogProbs[b * R + t] = trajectory.responseLogProbs?.[t] ?? 0;
    }
    if (batch.rmScores && response.length > 0) batch.rmScores[b * R + response.length - 1] = trajectory.score ?? 0;
  });
  return batch;
}

function axisPositions(trajectories: readonly UnpaddedTrajectory[], P: number, R: number): Int32Array | null {
  const lengthOf = ({ promptIds, responseIds }: UnpaddedTrajectory) => promptIds.length + responseIds.length;
  const first = trajectories.find(({ positions }) => positions);
  if (!first?.positions) return null;
  const axes = first.positions.length / lengthOf(first);
  const width = P + R;
  const ids = new Int32Array(trajectories.length * (1 + axes) * width).fill(1);
  trajectories.forEach((trajectory, b) => {
    const tokens = lengthOf(trajectory);
    const cut = Math.max(0, trajectory.promptIds.length - P);
    const start = P - (trajectory.promptIds.length - cut);
    const end = Math.min(width, start + tokens - cut);
    for (let row = 0; row <= axes; row++) {
      const own = row > 0 ? trajectory.positions?.subarray((row - 1) * tokens, row * tokens) : null;
      const at = (b * (1 + axes) + row) * width;
      for (let i = start; i < end; i++) ids[at + i] = own ? own[i - start + cut] : i - start;
    }
  });
  return ids;
}
