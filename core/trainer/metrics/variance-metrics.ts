import { varianceProxy } from "../../tracking/index.js";
import type { TrainBatch } from "../step/train-batch.js";

/** `variance_proxy/…` of a step whose Σπ² is known. */
export function updateVariance(batch: TrainBatch, gradNorm: number | null): Record<string, number> {
  return varianceProxy({
    sumPiSquared: batch.sumPiSquared!,
    oldLogProb: batch.oldLogProb!,
    advantages: batch.advantages!,
    responseMask: batch.sequences.responseMask,
    responseOffsets: batch.sequences.responseOffsets,
    ...(batch.rolloutIsWeights ? { rolloutIsWeights: batch.rolloutIsWeights } : {}),
    gradNorm,
  });
}
