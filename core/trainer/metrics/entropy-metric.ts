import { aggLoss, countsOf, evaluateLoss, type LossAggMode } from "../../algorithms/index.js";
import type { TrainBatch } from "../step/train-batch.js";

/** The entropy before the update, in nats, aggregated over the whole batch as the actor's loss is. */
export function entropyMetric(batch: TrainBatch, mode: LossAggMode, lossScaleFactor: number | null): number {
  const { responseMask, responseOffsets } = batch.sequences;
  const input = {
    outputs: {},
    columns: new Map([["entropy", { extent: "token" as const, data: batch.entropy! }]]),
    responseMask,
    responseOffsets,
    counts: countsOf(batch.sequences, lossScaleFactor === null ? {} : { lossScaleFactor }),
  };
  return evaluateLoss(
    {
      kind: "algebra",
      name: "entropy",
      scope: "token",
      outputs: [],
      columns: ["entropy"],
      key: `entropy/${mode}`,
      build: (g) => ({ loss: aggLoss(g, g.column("entropy"), mode), metrics: {} }),
    },
    input,
  ).loss;
}
