import type { AnyLoss, GlobalCounts, LossGradients } from "../algorithms/algebra.js";
import { combineMetrics } from "../algorithms/combine-metrics.js";
import { evaluateLoss } from "../algorithms/tape.js";
import type { SequenceBatch } from "../data/sequence-batch.js";
import type { EngineBackend, FusedResult } from "./backend.js";
import type { BatchOptions, ForwardBackwardResult, ModelOutputs } from "./engine.js";
import { type MicroBatch, mergeOutputs, selectOutputs, splitBatch } from "./micro-batch.js";

export interface ForwardBackwardOptions extends BatchOptions {
  readonly returnOutputs?: boolean;
}

/**
 * Forward, loss and backward over micro-batches. A loss whose statistics range over groups or the whole mini-batch is
 * never evaluated on a part: when such a batch has to be split, all parts go forward, the loss is taken once over their
 * outputs, and all parts go backward.
 */
export async function forwardBackward(
  backend: EngineBackend,
  batch: SequenceBatch,
  loss: AnyLoss,
  counts: GlobalCounts,
  options: ForwardBackwardOptions = {},
): Promise<ForwardBackwardResult> {
  const parts = splitBatch(batch, options, loss.scope, backend);
  const wide = loss.scope === "group" || loss.scope === "miniBatch";
  if (wide && parts.length > 1) return lossOverAllParts(backend, batch, parts, loss, counts, options);

  const metrics: LossGradients["metrics"][] = [];
  const outputs: ModelOutputs = {};
  let total = 0;
  for (const part of parts) {
    options.signal?.throwIfAborted();
    const result = await onePart(backend, part.batch, loss, counts, options);
    total += result.loss;
    metrics.push(result.metrics);
    if (options.returnOutputs) mergeOutputs(outputs, batch, part, result.outputs);
  }
  return { loss: total, metrics: combineMetrics(metrics), outputs, microBatches: parts.length };
}

async function onePart(
  backend: EngineBackend,
  batch: SequenceBatch,
  loss: AnyLoss,
  counts: GlobalCounts,
  { signal, backward }: ForwardBackwardOptions,
): Promise<FusedResult> {
  if (backward !== "twoPhase" && loss.kind === "algebra" && backend.fused) {
    const fused = await backend.fused(batch, loss, counts, { signal });
    if (fused) return fused;
  }
  const outputs = await backend.forward(batch, loss.outputs, { signal });
  const result = evaluate(loss, batch, outputs, counts);
  const gradients = nonZero(result.gradients);
  if (gradients) await backend.backward(batch, gradients, { signal });
  return { loss: result.loss, metrics: result.metrics, outputs };
}

async function lossOverAllParts(
  backend: EngineBackend,
  batch: SequenceBatch,
  parts: readonly MicroBatch[],
  loss: AnyLoss,
  counts: GlobalCounts,
  { signal, returnOutputs }: ForwardBackwardOptions,
): Promise<ForwardBackwardResult> {
  const outputs: ModelOutputs = {};
  for (const part of parts) {
    signal?.throwIfAborted();
    mergeOutputs(outputs, batch, part, await backend.forward(part.batch, loss.outputs, { signal }));
  }
  const result = evaluate(loss, batch, outputs, counts);
  for (const part of parts) {
    signal?.throwIfAborted();
    const gradients = nonZero(selectOutputs(result.gradients, batch, part));
    if (gradients) await backend.backward(part.batch, gradients, { signal });
  }
  const { loss: total, metrics } = result;
  return { loss: total, metrics, outputs: returnOutputs ? outputs : {}, microBatches: parts.length };
}

function evaluate(loss: AnyLoss, batch: SequenceBatch, outputs: ModelOutputs, counts: GlobalCounts): LossGradients {
  const { columns, responseMask, responseOffsets } = batch;
  return evaluateLoss(loss, { outputs, columns, responseMask, responseOffsets, counts });
}

/** Gradients worth a backward pass; null when all are 0, as for groups without any advantage. */
function nonZero(gradients: ModelOutputs): ModelOutputs | null {
  const kept = Object.entries(gradients).filter(([, values]) => values?.some((x) => x !== 0));
  return kept.length > 0 ? (Object.fromEntries(kept) as ModelOutputs) : null;
}
