import type { AnyLoss, MetricValue } from "../../algorithms/algebra.js";
import { selectSequences } from "../../data/batch/sequence-batch.js";
import { RandomStream } from "../../data/random.js";
import type { BaseEngine, TrainBatchResult } from "../../engine/engine.js";
import { reduceByName } from "../../tracking/index.js";
import type { TrainBatch } from "./train-batch.js";
import { isTrainable, withColumns } from "./train-batch.js";

export interface ModelUpdateOptions {
  /** Prefix of the metrics. */
  readonly model: "actor" | "critic";
  /** What the loss reads beside the model's outputs, [R] each; null where the step does not have it. */
  readonly columns: Readonly<Record<string, ArrayLike<number> | null>>;
  readonly step: number;
  /** Prompt groups per optimizer update. */
  readonly miniBatchGroups: number;
  readonly epochs: number;
  readonly shuffle: boolean;
  readonly shuffleSeed: number;
  /** Divisor of `seq-mean-token-sum-norm`; null = the longest response of the batch. */
  readonly lossScaleFactor: number | null;
  readonly maxTokensPerMicroBatch: number | null;
  readonly microBatchSize: number | null;
  /** How values of several updates become one: by the rule that each metric declares, or by its name. */
  readonly metricReduction: "declared" | "name";
  /** Leave trajectories without advantage out of the computation; denominators stay those of the whole mini-batch. */
  readonly skipZeroAdvantage: boolean;
  readonly signal: AbortSignal;
  /** Told of every update; may end the run. */
  onUpdate?(result: TrainBatchResult): void;
  onMiniBatch?(done: number, total: number): void;
}

export interface ModelUpdateResult {
  readonly metrics: Readonly<Record<string, number>>;
  /**
   * An actor's log-probabilities before its first update, for the rows of the first mini-batch and in their order: lets
   * the sampler gap be measured without a forward pass of its own.
   */
  readonly firstMiniBatch: { readonly rows: readonly number[]; readonly logProb: Float32Array | undefined };
}

/**
 * The updates of one model in a step: mini-batches of whole prompt groups, `epochs` passes, one optimizer step each. The
 * learning rate advances once, after the last.
 */
export async function updateModel(
  engine: BaseEngine,
  batch: TrainBatch,
  loss: AnyLoss,
  options: ModelUpdateOptions,
): Promise<ModelUpdateResult> {
  const { model } = options;
  const sequences = withColumns(batch.sequences, options.columns);
  const responseLength = (b: number) => sequences.responseOffsets[b + 1] - sequences.responseOffsets[b];
  const longest = batch.rows.reduce((n, _, b) => Math.max(n, responseLength(b)), 1);
  const plan = Array.from({ length: options.epochs }, (_, epoch) => miniBatches(batch, options, epoch)).flat();

  const collected = new MetricCollector(model, options.metricReduction);
  let first: ModelUpdateResult["firstMiniBatch"] = { rows: [], logProb: undefined };
  const mode = await engine.trainMode();
  try {
    for (const [i, rows] of plan.entries()) {
      options.signal.throwIfAborted();
      const computed = rowsToCompute(batch, rows, options.skipZeroAdvantage);
      const result = await engine.trainBatch(selectSequences(sequences, computed), loss, {
        counts: {
          batchNumTokens: rows.reduce((n, b) => n + countedTokens(batch, b), 0),
          globalBatchSize: rows.length,
          lossScaleFactor: options.lossScaleFactor ?? longest,
        },
        ...(options.maxTokensPerMicroBatch ? { maxTokensPerMicroBatch: options.maxTokensPerMicroBatch } : {}),
        ...(options.microBatchSize ? { microBatchSize: options.microBatchSize } : {}),
        returnOutputs: i === 0,
        signal: options.signal,
      });
      if (i === 0) first = { rows: computed, logProb: result.outputs.logProb };
      collected.add(result.metrics);
      collected.addNumber(`${model}/loss`, result.loss);
      collected.addNumber(`${model}/grad_norm`, result.gradNorm);
      options.onUpdate?.(result);
      options.onMiniBatch?.(i + 1, plan.length);
    }
  } finally {
    await mode[Symbol.asyncDispose]();
  }
  const lr = engine.learningRate;
  await engine.lrSchedulerStep();
  return {
    metrics: { ...collected.reduce(), [`${model}/lr`]: lr, [`${model}/skipped_updates`]: engine.skippedUpdates },
    firstMiniBatch: first,
  };
}

/**
 * Rows of a mini-batch that can have a gradient. At least one row stays, so that the optimizer takes its step (momentum,
 * decay) as it would have.
 */
function rowsToCompute(batch: TrainBatch, rows: number[], skipZeroAdvantage: boolean): number[] {
  const kept = rows.filter((b) => batch.eligible[b] && (!skipZeroAdvantage || hasAdvantage(batch, b)));
  return kept.length > 0 ? kept : rows.slice(0, 1);
}

function hasAdvantage({ sequences, advantages }: TrainBatch, b: number): boolean {
  for (let r = sequences.responseOffsets[b]; r < sequences.responseOffsets[b + 1]; r++) {
    if (sequences.responseMask[r] !== 0 && advantages?.[r] !== 0) return true;
  }
  return false;
}

function countedTokens({ sequences: { responseOffsets }, counted }: TrainBatch, b: number): number {
  let tokens = 0;
  for (let r = responseOffsets[b]; r < responseOffsets[b + 1]; r++) if (counted.mask[r] !== 0) tokens++;
  return tokens;
}

/** Row indices of each mini-batch of one pass; a group is never split, rows that count nowhere are left out. */
function miniBatches(batch: TrainBatch, options: ModelUpdateOptions, epoch: number): number[][] {
  if (!isTrainable(batch)) return [];
  const groups = new Map<string, number[]>();
  for (const b of batch.drawn ?? batch.rows.keys()) {
    if (!batch.counted.rows[b]) continue;
    const { uid } = batch.rows[b];
    const group = groups.get(uid);
    if (group) group.push(b);
    else groups.set(uid, [b]);
  }
  let order = [...groups.values()];
  if (options.shuffle) {
    order = new RandomStream(options.shuffleSeed, `${options.model}-update/${options.step}/${epoch}`).shuffled(order);
  }
  const parts: number[][] = [];
  for (let i = 0; i < order.length; i += options.miniBatchGroups) {
    parts.push(order.slice(i, i + options.miniBatchGroups).flat());
  }
  return parts;
}

/**
 * Combines metrics of several mini-batches: extremes stay extremes, everything else is averaged over updates. By name, the
 * reference's rules say which are extremes.
 */
class MetricCollector {
  readonly #values = new Map<string, { rule: "min" | "max" | "mean"; values: number[] }>();

  constructor(
    private readonly model: string,
    private readonly reduction: ModelUpdateOptions["metricReduction"],
  ) {}

  add(metrics: Readonly<Record<string, MetricValue>>): void {
    for (const [name, { value, reduction }] of Object.entries(metrics)) {
      this.addNumber(
        name.includes("/") ? name : `${this.model}/${name}`,
        value,
        reduction === "sum" ? "mean" : reduction,
      );
    }
  }

  addNumber(name: string, value: number, rule: "min" | "max" | "mean" = "mean"): void {
    const known = this.#values.get(name);
    if (known) known.values.push(value);
    else this.#values.set(name, { rule, values: [value] });
  }

  reduce(): Record<string, number> {
    if (this.reduction === "name") {
      return reduceByName(Object.fromEntries([...this.#values].map(([name, { values }]) => [name, values])));
    }
    return Object.fromEntries(
      [...this.#values].map(([name, { rule, values }]) => [
        name,
        rule === "mean" ? values.reduce((a, b) => a + b, 0) / values.length : values.reduce((a, b) => Math[rule](a, b)),
      ]),
    );
  }
}
