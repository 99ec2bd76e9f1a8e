import type { AnyLoss, GlobalCounts, LossGradients, OutputName } from "../algorithms/algebra.js";
import { combineMetrics } from "../algorithms/combine-metrics.js";
import { evaluateLoss } from "../algorithms/tape.js";
import type { SequenceBatch } from "../data/batch/sequence-batch.js";
import type { CallOptions } from "../host/types.js";
import type { EngineBackend, FusedResult } from "./backend.js";
import { onEveryRank } from "./data-parallel/every-rank.js";
import type { EngineReplica } from "./data-parallel/replicas.js";
import { shareRows } from "./data-parallel/share-rows.js";
import type { BatchOptions, ForwardBackwardResult, ModelOutputs } from "./engine.js";
import { groupSizeOf, type MicroBatch, mergeOutputs, selectOutputs, selectRows, splitBatch } from "./micro-batch.js";

export interface ForwardBackwardOptions extends BatchOptions {
  readonly returnOutputs?: boolean;
}

/** Rank 0, which says how micro-batches are cut, and the further ranks. */
export type EngineRanks = readonly [EngineBackend, ...EngineReplica[]];

/**
 * Forward, loss and backward over micro-batches, on all ranks at once. A loss whose statistics range over groups or the
 * whole mini-batch is never evaluated on a part: when such a batch has to be split, all parts go forward, the loss is taken
 * once over their outputs, and all parts go backward.
 */
export async function forwardBackward(
  ranks: EngineRanks,
  batch: SequenceBatch,
  loss: AnyLoss,
  counts: GlobalCounts,
  options: ForwardBackwardOptions = {},
): Promise<ForwardBackwardResult> {
  const shares = splitOverRanks(ranks, batch, options, loss.scope);
  const parts = shares.flat();
  const outputs: ModelOutputs = {};
  const wide = loss.scope === "group" || loss.scope === "miniBatch";
  if (wide && parts.length > 1) {
    const result = await lossOverAllParts(ranks, batch, shares, loss, counts, options, outputs);
    return {
      loss: result.loss,
      metrics: result.metrics,
      outputs: options.returnOutputs ? outputs : {},
      microBatches: parts.length,
    };
  }
  const results = await onParts(ranks, shares, options.signal, async (rank, part, call) => {
    const result = await onePart(rank, part.batch, loss, counts, { ...options, ...call });
    if (options.returnOutputs) mergeOutputs(outputs, batch, part, result.outputs);
    return result;
  });
  return {
    loss: results.reduce((sum, result) => sum + result.loss, 0),
    metrics: combineMetrics(results.map(({ metrics }) => metrics)),
    outputs,
    microBatches: parts.length,
  };
}

/** A forward pass over a batch, on all ranks at once. */
export async function forwardBatch(
  ranks: EngineRanks,
  batch: SequenceBatch,
  wanted: readonly OutputName[],
  options: BatchOptions,
): Promise<ModelOutputs> {
  const outputs: ModelOutputs = {};
  await onParts(ranks, splitOverRanks(ranks, batch, options), options.signal, async (rank, part, call) => {
    mergeOutputs(outputs, batch, part, await rank.forward(part.batch, wanted, call));
  });
  return outputs;
}

/** Micro-batches of each rank, with their rows in the whole batch. */
function splitOverRanks(
  ranks: EngineRanks,
  batch: SequenceBatch,
  options: BatchOptions,
  scope: AnyLoss["scope"] = "token",
): MicroBatch[][] {
  return shareRows(batch, ranks.length, groupSizeOf(scope)).map((rows) => {
    const share = selectRows(batch, rows);
    return splitBatch(share.batch, options, scope, ranks[0]).map((part) => ({
      batch: part.batch,
      rows: part.rows.map((row) => share.rows[row]),
    }));
  });
}

/** Every rank takes its parts one after the other; results in the order of ranks and parts. */
async function onParts<T>(
  ranks: EngineRanks,
  shares: readonly (readonly MicroBatch[])[],
  signal: AbortSignal | undefined,
  task: (rank: EngineReplica, part: MicroBatch, call: CallOptions) => Promise<T>,
): Promise<T[]> {
  const results = await onEveryRank(ranks, signal, async (rank, r, stop) => {
    const own: T[] = [];
    for (const part of shares[r]) {
      stop?.throwIfAborted();
      own.push(await task(rank, part, { signal: stop }));
    }
    return own;
  });
  return results.flat();
}

async function onePart(
  rank: EngineReplica,
  batch: SequenceBatch,
  loss: AnyLoss,
  counts: GlobalCounts,
  { signal, backward }: ForwardBackwardOptions,
): Promise<FusedResult> {
  if (backward !== "twoPhase" && loss.kind === "algebra" && rank.fused) {
    const fused = await rank.fused(batch, loss, counts, { signal });
    if (fused) return fused;
  }
  const outputs = await rank.forward(batch, loss.outputs, { signal });
  const result = evaluate(loss, batch, outputs, counts);
  const gradients = nonZero(result.gradients);
  if (gradients) await rank.backward(batch, gradients, { signal });
  return { loss: result.loss, metrics: result.metrics, outputs };
}

/** Fills `outputs` with those of the whole batch. */
async function lossOverAllParts(
  ranks: EngineRanks,
  batch: SequenceBatch,
  shares: readonly (readonly MicroBatch[])[],
  loss: AnyLoss,
  counts: GlobalCounts,
  { signal }: CallOptions,
  outputs: ModelOutputs,
): Promise<LossGradients> {
  await onParts(ranks, shares, signal, async (rank, part, call) => {
    mergeOutputs(outputs, batch, part, await rank.forward(part.batch, loss.outputs, call));
  });
  const result = evaluate(loss, batch, outputs, counts);
  await onParts(ranks, shares, signal, async (rank, part, call) => {
    const gradients = nonZero(selectOutputs(result.gradients, batch, part));
    if (gradients) await rank.backward(part.batch, gradients, call);
  });
  return result;
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
