import { correctRollout } from "../../algorithms/index.js";
import type { Logger } from "../../host/types.js";
import type { StepMetrics } from "../run-context.js";
import type { RunParts } from "../run-parts.js";
import { rejectTokens, type TrainBatch } from "./train-batch.js";

/**
 * Rollout correction with three policies: weights and rejection from the old policy against the sampler's. Rejected tokens
 * leave the step altogether, KL in the reward and group statistics included. With both off only `rollout_corr/…` metrics
 * come of it.
 */
export function correctStep(
  parts: Pick<RunParts, "rolloutCorrection"> & { readonly logger: Logger },
  batch: TrainBatch,
  metrics: StepMetrics,
): void {
  const { responseMask, responseOffsets } = batch.sequences;
  const pair = { logProb: batch.oldLogProb!, rolloutLogProb: batch.rolloutLogProb, responseMask, responseOffsets };
  const corrected = correctRollout(pair, parts.rolloutCorrection);
  metrics.set(corrected.metrics);
  batch.rolloutIsWeights = corrected.weights;
  const { rolloutRs, countRejectedTokens } = parts.rolloutCorrection;
  if (rolloutRs === null) return;
  const before = count(batch.eligible);
  rejectTokens(batch, corrected.responseMask, countRejectedTokens);
  const left = count(batch.eligible);
  metrics.set({ "training/untrainable/rejected": before - left });
  if (left === 0) parts.logger.warn(`rollout correction rejected all ${before} trajectories: nothing is updated`);
}

const count = (flags: Uint8Array): number => flags.reduce((n, flag) => n + flag, 0);
