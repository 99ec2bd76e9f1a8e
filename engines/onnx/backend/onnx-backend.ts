import { parameterSpecs } from "../../../core/formats/index.js";
import {
  type BackendAdapters,
  type CallOptions,
  type CheckpointPart,
  type EngineBackend,
  type EngineCapabilities,
  type EngineModelInfo,
  type EngineOptions,
  type FusedResult,
  type GlobalCounts,
  type LossFunction,
  type ModelOutputs,
  type NamedTensor,
  type NumberSource,
  type OptimizerConfig,
  type OutputName,
  profiled,
  type SequenceBatch,
} from "../../../core/plugin.js";
import { restoreAdapters, saveAdapters } from "../adapters/adapter-checkpoint.js";
import { OnnxAdapters } from "../adapters/adapter-set.js";
import { engineCapabilities } from "../capabilities.js";
import type { OnnxProvider } from "../engine.js";
import { errors } from "../errors.js";
import { plainGraphModel } from "../graphs/graph-model.js";
import type { Optimizer } from "../optimizer/optimizer.js";
import { checkOptimizer } from "../optimizer/rules.js";
import { type OnnxEngineKwargs, parseEngineKwargs } from "../options.js";
import { openOrtRuntime } from "../runtime/index.js";
import { type ActiveModel, activeModel } from "./active-model.js";
import { exportModel, restoreModel, saveModel } from "./checkpoint.js";
import { type LoadedModel, loadModel } from "./model-loader.js";
import { openProvider } from "./open-provider.js";
import { partitionByLength } from "./partition-by-length.js";
import { SessionCache } from "./session-cache.js";
import { type TrainedParameters, trainedParameters } from "./trained-parameters.js";
import { TrainingStep } from "./training-step.js";

interface Loaded {
  readonly model: LoadedModel;
  /** The model's own parameters; frozen where there are adapters. */
  readonly base: TrainedParameters;
  /** The model as a whole. */
  readonly whole: ActiveModel;
  readonly adapters: OnnxAdapters | null;
  readonly sessions: SessionCache;
  readonly step: TrainingStep;
}

/** Numbers of another rank's gradient that are held at once, 4 MiB of them. */
const ADDED_AT_ONCE = 2 ** 20;

/** A decoder-only model on onnxruntime, with its optimizer on the host. */
export class OnnxBackend implements EngineBackend {
  readonly capabilities: EngineCapabilities;
  private readonly kwargs: OnnxEngineKwargs;
  private loaded: Loaded | null = null;

  constructor(
    private readonly options: EngineOptions,
    private readonly provider?: OnnxProvider,
  ) {
    this.kwargs = parseEngineKwargs(options.extra);
    if (options.optimizer) checkOptimizer(options.optimizer);
    this.capabilities = engineCapabilities(options.modelType ?? "language_model", provider?.deviceName ?? "cpu");
  }

  async load(options?: CallOptions): Promise<void> {
    await this.dispose();
    const { runtime: kind, spin, logitsMemoryMiB, attentionMemoryMiB, packAbovePadding } = this.kwargs;
    const { threads, optimizer, adapter, seed, topology, model: source } = this.options;
    const runtime = this.provider ? await openProvider(this.provider) : await openOrtRuntime({ kind });
    const model = await loadModel(this.options, this.kwargs);
    const { config } = model;
    const { profiler } = this.options;
    const sessions = new SessionCache(runtime, { threads, spin }, profiler);
    const training = { optimizer, topology, runtime, compile: sessions.compile };
    const base = trainedParameters(parameterSpecs(config), { ...training, optimizer: adapter ? null : optimizer });
    await model.fill(base.store, options);
    base.optimizer?.restartAverage();
    const variants = {
      logitsBytes: logitsMemoryMiB * 2 ** 20,
      attentionBytes: attentionMemoryMiB * 2 ** 20,
      packAbovePadding,
      plainNorms: runtime.plainNorms ?? false,
    };
    const step = new TrainingStep(runtime, sessions, config, variants, profiler);
    const modelPath = "path" in source ? source.path : null;
    const context = { ...training, config, base: base.store, seed, modelPath };
    const adapters = adapter ? await OnnxAdapters.create(context, adapter) : null;
    const whole = activeModel(plainGraphModel(config, base.optimizer !== null), base.store);
    this.loaded = { model, base, whole, adapters, sessions, step };
  }

  get adapters(): BackendAdapters | undefined {
    return this.state.adapters ?? undefined;
  }

  modelInfo(): EngineModelInfo {
    const { model, base } = this.state;
    const { modelType, vocabSize, maxPositions } = model.config;
    const { store, optimizer } = this.current;
    const trainedParameters = optimizer ? store.count : 0;
    return { modelType, vocabSize, maxPositions, parameters: base.store.count, trainedParameters };
  }

  /** Cuts what attention would not fit into memory for: many short sequences beside a long one. */
  partition(batch: SequenceBatch, groupSize: number): readonly (readonly number[])[] {
    return partitionByLength(batch, groupSize, this.state.model.config, this.kwargs.attentionMemoryMiB * 2 ** 20);
  }

  forward(batch: SequenceBatch, outputs: readonly OutputName[], options?: CallOptions): Promise<ModelOutputs> {
    return this.state.step.forward(this.active, batch, outputs, options);
  }

  backward(batch: SequenceBatch, gradients: ModelOutputs, options?: CallOptions): Promise<void> {
    this.trained("backward");
    return this.state.step.backward(this.active, batch, gradients, options);
  }

  fused(
    batch: SequenceBatch,
    loss: LossFunction,
    counts: GlobalCounts,
    options?: CallOptions,
  ): Promise<FusedResult | null> {
    this.trained("fused");
    return this.state.step.fused(this.active, batch, loss, counts, options);
  }

  async zeroGrad(): Promise<void> {
    const { optimizer, store } = this.current;
    optimizer?.zeroGrad();
    await store.onDevice?.clear();
  }

  async gradNorm(): Promise<number> {
    const optimizer = this.trained("gradNorm");
    await this.current.store.onDevice?.collect();
    return profiled(this.options.profiler, "gradient norm", async () => optimizer.gradNorm());
  }

  async step(update: { lr: number; gradScale: number; optimizer: OptimizerConfig }): Promise<void> {
    const optimizer = this.trained("step");
    const { onDevice } = this.current.store;
    await onDevice?.collect();
    await profiled(this.options.profiler, "optimizer", () => optimizer.update(update));
    onDevice?.valuesChanged();
  }

  async swapAverage(): Promise<void> {
    const { optimizer, store } = this.current;
    optimizer?.swapAverage();
    store.onDevice?.valuesChanged();
  }

  async *parameters(options?: CallOptions): AsyncGenerator<NamedTensor> {
    const { base, adapters } = this.state;
    for await (const tensor of adapters ? adapters.parameters(options) : base.store.namedValues()) {
      options?.signal?.throwIfAborted();
      yield tensor;
    }
  }

  async *gradients(options?: CallOptions): AsyncGenerator<NamedTensor> {
    this.trained("gradients");
    const { store } = this.current;
    await store.onDevice?.collect();
    for (const tensor of store.named((parameter) => store.gradients(parameter))) {
      options?.signal?.throwIfAborted();
      yield tensor;
    }
  }

  async addGradients(next: NumberSource, options?: CallOptions): Promise<void> {
    const buffer = new Float32Array(ADDED_AT_ONCE);
    for await (const { data } of this.gradients(options)) {
      const gradient = data as Float32Array;
      for (let start = 0; start < gradient.length; start += buffer.length) {
        const piece = gradient.subarray(start, start + buffer.length);
        const other = buffer.subarray(0, piece.length);
        await next(other);
        for (let i = 0; i < piece.length; i++) piece[i] += other[i];
      }
    }
  }

  async setParameters(next: NumberSource): Promise<void> {
    const { store } = this.current;
    for (const { data } of store.namedValues()) await next(data as Float32Array);
    store.onDevice?.valuesChanged();
  }

  async *trainedTensors(): AsyncGenerator<NamedTensor> {
    yield* this.current.store.namedValues();
  }

  async save(dir: string, parts: readonly CheckpointPart[], options?: CallOptions): Promise<void> {
    const { model, base, adapters } = this.state;
    if (adapters) await saveAdapters(dir, parts, adapters, options);
    else await saveModel(dir, parts, base, options);
    options?.signal?.throwIfAborted();
    if (!parts.includes("hf_model")) return;
    const { optimizer } = this.current;
    const write = (average: boolean) => exportModel(dir, model, this.parameters(options), this.kwargs, average);
    await write(false);
    if (optimizer?.keepsAverage) await optimizer.withAverage(() => write(true));
  }

  async restore(dir: string, parts: readonly CheckpointPart[], options?: CallOptions): Promise<void> {
    const { model, base, adapters } = this.state;
    const { allowNonFinite } = this.kwargs;
    if (adapters) await restoreAdapters(dir, parts, adapters, { ...options, allowNonFinite });
    else await restoreModel(dir, parts, { config: model.config, trained: base }, this.kwargs, options);
    for (const { store } of adapters?.all ?? [base]) store.onDevice?.valuesChanged();
  }

  async dispose(): Promise<void> {
    const { loaded } = this;
    this.loaded = null;
    if (!loaded) return;
    await loaded.sessions.dispose();
    loaded.step.dispose();
    loaded.adapters?.dispose();
    loaded.base.store.dispose();
  }

  private get state(): Loaded {
    if (this.loaded) return this.loaded;
    throw errors.VERL_ONNX_NOT_LOADED({ what: "the engine was used before its weights were loaded" });
  }

  /** What is computed with. */
  private get active(): ActiveModel {
    const { adapters, whole } = this.state;
    return adapters?.model ?? whole;
  }

  /** What is trained. */
  private get current(): TrainedParameters {
    const { adapters, base } = this.state;
    return adapters?.current ?? base;
  }

  private trained(call: string): Optimizer {
    const { optimizer } = this.current;
    if (optimizer) return optimizer;
    throw errors.VERL_ONNX_FORWARD_ONLY({ what: `${call} was called on an engine without an optimizer` });
  }
}
