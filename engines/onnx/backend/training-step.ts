import type { ModelConfig } from "../../../core/formats/index.js";
import {
  type CallOptions,
  type FusedResult,
  type GlobalCounts,
  type LossFunction,
  type MetricValue,
  type ModelOutputs,
  type OutputName,
  type Profiler,
  profiled,
  type SequenceBatch,
} from "../../../core/plugin.js";
import { fusedGraph, LOSS_FETCH, metricFetch } from "../graphs/fused-graph.js";
import { EMBEDDED_GRADIENT, type GraphVariant } from "../graphs/model-graph.js";
import { backwardGraph, forwardGraph, outputFetch, outputGradientFeed } from "../graphs/two-phase-graphs.js";
import { GrowingRopeFeeds } from "../models/rope-feeds.js";
import { allocateTensorData, type OrtRuntime, type OrtTensor } from "../runtime/index.js";
import type { ActiveModel } from "./active-model.js";
import { type BatchShape, batchShape, type Feeds, lossFeeds, tokenFeeds } from "./batch-feeds.js";
import { addEmbeddingGradient } from "./embedding-gradient.js";
import { Scratch } from "./scratch.js";
import type { Compiled, SessionCache } from "./session-cache.js";
import { chooseVariant, type VariantOptions } from "./variant.js";

/** Runs micro-batches through the graphs: chooses a variant, feeds it, brings results back. Calls must not overlap. */
export class TrainingStep {
  private readonly scratch: Scratch;
  private readonly rope: GrowingRopeFeeds;

  constructor(
    runtime: OrtRuntime,
    private readonly sessions: SessionCache,
    private readonly config: ModelConfig,
    private readonly options: VariantOptions,
    private readonly profiler?: Profiler,
  ) {
    this.scratch = new Scratch(runtime);
    this.rope = new GrowingRopeFeeds(runtime, config);
  }

  async forward(
    model: ActiveModel,
    batch: SequenceBatch,
    outputs: readonly OutputName[],
    options?: CallOptions,
  ): Promise<ModelOutputs> {
    const shape = batchShape(batch);
    if (this.resultCount(shape) === 0) return emptyOutputs(outputs);
    const variant = chooseVariant(this.config, shape, this.options);
    const compiled = await this.sessions.get(keyOf("forward", model, variant, outputs.join()), () => ({
      graph: forwardGraph(model.graph, variant, outputs),
    }));
    const { feeds, paddedRows } = tokenFeeds(this.config, batch, shape, variant, this.scratch);
    const results = this.outputFetches(outputs, paddedRows * this.numbersPerRow);
    await this.run("forward", model, compiled, shape, feeds, results, options);
    return takeOutputs(outputs, results, this.resultCount(shape));
  }

  async backward(
    model: ActiveModel,
    batch: SequenceBatch,
    gradients: ModelOutputs,
    options?: CallOptions,
  ): Promise<void> {
    const shape = batchShape(batch);
    const names = Object.keys(gradients) as OutputName[];
    if (this.resultCount(shape) === 0 || names.length === 0) return;
    const variant = chooseVariant(this.config, shape, this.options);
    const compiled = await this.sessions.get(keyOf("backward", model, variant, names.join()), () => ({
      graph: backwardGraph(model.graph, variant, names),
    }));
    const { feeds, rowIds, paddedRows } = tokenFeeds(this.config, batch, shape, variant, this.scratch);
    for (const name of names) {
      const gradient = this.scratch.float32(outputGradientFeed(name), [paddedRows * this.numbersPerRow]);
      gradient.data.fill(0);
      gradient.data.set(gradients[name] as Float32Array);
      feeds[outputGradientFeed(name)] = gradient;
    }
    await this.runBackward(model, compiled, shape, feeds, {}, rowIds, options);
  }

  /** Null when the loss cannot be lowered. */
  async fused(
    model: ActiveModel,
    batch: SequenceBatch,
    loss: LossFunction,
    counts: GlobalCounts,
    options?: CallOptions,
  ): Promise<FusedResult | null> {
    const shape = batchShape(batch);
    if (shape.responseTokens === 0) return null;
    const variant = chooseVariant(this.config, shape, this.options);
    const extents = new Map(loss.columns.map((name) => [name, batch.columns.get(name)?.extent ?? "token"] as const));
    const compiled = await this.sessions.get(keyOf("fused", model, variant, `${loss.key}|${[...extents].join()}`), () =>
      fusedGraph(model.graph, variant, loss, extents),
    );
    // Half a pair is refused on the host, by name.
    if (compiled === null || (compiled.comparesPairs && batch.size % 2 !== 0)) return null;
    const { feeds, rowIds } = tokenFeeds(this.config, batch, shape, variant, this.scratch);
    Object.assign(feeds, lossFeeds(batch, shape, counts, loss.columns, this.scratch));

    const { outputs } = loss;
    const results = this.outputFetches(outputs, this.resultCount(shape));
    const scalars = [LOSS_FETCH, ...Object.keys(compiled.metrics).map(metricFetch)];
    for (const name of scalars) results[name] = this.scratch.float32(name, []);
    const scalar = (name: string) => (results[name].data as Float32Array)[0];
    await this.runBackward(model, compiled, shape, feeds, results, rowIds, options);

    let weight = 0;
    for (const m of batch.responseMask) if (m) weight++;
    const metrics: Record<string, MetricValue> = {};
    for (const [name, reduction] of Object.entries(compiled.metrics)) {
      const value = scalar(metricFetch(name));
      // An extreme of nothing.
      metrics[name] = { value: weight > 0 || Number.isFinite(value) ? value : Number.NaN, reduction, weight };
    }
    return { loss: scalar(LOSS_FETCH), metrics, outputs: takeOutputs(outputs, results, this.resultCount(shape)) };
  }

  dispose(): void {
    this.scratch.releaseAll();
    this.rope.dispose();
  }

  private async runBackward(
    model: ActiveModel,
    compiled: Compiled,
    shape: BatchShape,
    feeds: Feeds,
    fetches: Feeds,
    rowIds: Int32Array,
    options: CallOptions | undefined,
  ): Promise<void> {
    const { embeddingGradient, fetches: sums } = model;
    const { hiddenSize } = this.config;
    const dEmbedded = embeddingGradient && this.scratch.float32(EMBEDDED_GRADIENT, [rowIds.length, hiddenSize]);
    const all: Feeds = { ...fetches, ...sums, ...(dEmbedded ? { [EMBEDDED_GRADIENT]: dEmbedded } : {}) };
    await this.run("forward and backward", model, compiled, shape, feeds, all, options);
    model.wrote(Object.keys(sums));
    if (!embeddingGradient || !dEmbedded) return;
    await profiled(this.profiler, "embedding gradient", async () =>
      addEmbeddingGradient(embeddingGradient, rowIds, dEmbedded.data, hiddenSize),
    );
  }

  private async run(
    name: string,
    model: ActiveModel,
    compiled: Compiled,
    shape: BatchShape,
    batchFeeds: Feeds,
    fetches: Feeds,
    options: CallOptions | undefined,
  ): Promise<void> {
    await model.prepare();
    const available: Feeds = { ...model.feeds, ...this.rope.upTo(shape.longest), ...batchFeeds };
    const feeds = Object.fromEntries(compiled.inputNames.map((name) => [name, available[name]]));
    try {
      await profiled(this.profiler, name, () => compiled.session.run(feeds, fetches, options));
    } finally {
      this.scratch.releaseAll();
    }
  }

  /** Numbers of an output: one per response token, or the labels of each sequence. */
  private resultCount({ responseTokens, sequences }: BatchShape): number {
    return this.config.head === "scores" ? sequences * this.numbersPerRow : responseTokens;
  }

  private get numbersPerRow(): number {
    return this.config.head === "scores" ? this.config.headSize : 1;
  }

  /** Fresh memory: the results are the caller's to keep. */
  private outputFetches(outputs: readonly OutputName[], length: number): Record<string, OrtTensor> {
    return Object.fromEntries(
      outputs.map((name) => [outputFetch(name), this.scratch.over([length], allocateTensorData("float32", length))]),
    );
  }
}

function keyOf(kind: string, { graph }: ActiveModel, variant: GraphVariant, detail: string): string {
  const { layout, chunks, keepsLogits, attention } = variant;
  return [kind, graph.key, layout, chunks, keepsLogits, attention.rows, attention.windows, detail].join("|");
}

function takeOutputs(outputs: readonly OutputName[], fetched: Feeds, length: number): ModelOutputs {
  const entries = outputs.map((name) => [name, (fetched[outputFetch(name)].data as Float32Array).subarray(0, length)]);
  return Object.fromEntries(entries) as ModelOutputs;
}

function emptyOutputs(outputs: readonly OutputName[]): ModelOutputs {
  return Object.fromEntries(outputs.map((name) => [name, new Float32Array(0)])) as ModelOutputs;
}
