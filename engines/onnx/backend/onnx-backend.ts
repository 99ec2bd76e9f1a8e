import { parameterSpecs } from "../../../core/formats/index.js";
import type {
  CallOptions,
  CheckpointPart,
  EngineBackend,
  EngineCapabilities,
  EngineModelInfo,
  EngineOptions,
  FusedResult,
  GlobalCounts,
  LossFunction,
  ModelOutputs,
  NamedTensor,
  NumberSource,
  OptimizerConfig,
  OutputName,
  SequenceBatch,
} from "../../../core/plugin.js";
import type { OnnxProvider } from "../engine.js";
import { errors } from "../errors.js";
import { HEAD_OUTPUTS } from "../models/head.js";
import { Optimizer } from "../optimizer/optimizer.js";
import { type ParameterGroup, parameterGroups } from "../optimizer/parameter-groups.js";
import { checkOptimizer, optimizerRules } from "../optimizer/rules.js";
import { type OnnxEngineKwargs, parseEngineKwargs } from "../options.js";
import { openOrtRuntime } from "../runtime/index.js";
import { type CheckpointState, restoreCheckpoint, saveCheckpoint } from "./checkpoint.js";
import { HEADS, loadModel } from "./model-loader.js";
import { openProvider } from "./open-provider.js";
import { ParameterStore } from "./parameter-store.js";
import { partitionByLength } from "./partition-by-length.js";
import { SessionCache } from "./session-cache.js";
import { TrainingStep } from "./training-step.js";

interface Loaded extends CheckpointState {
  readonly sessions: SessionCache;
  readonly step: TrainingStep;
}

/** Numbers of another rank's gradient that are held at once, 4 MiB of them. */
const ADDED_AT_ONCE = 2 ** 20;

/** Ranks above 0 compute gradients and leave the updates to rank 0. */
const GRADIENTS_ONLY: ParameterGroup = { rule: { state: [], update() {} }, lrScale: 1, decays: false, state: [] };

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
    this.capabilities = {
      weights: "stream",
      backward: "fused",
      optimizer: "engine",
      outputs: HEAD_OUTPUTS[HEADS[options.modelType ?? "language_model"]],
      devices: [provider?.deviceName ?? "cpu"],
      dtypes: ["f32"],
      adapters: false,
      multiModal: false,
    };
  }

  async load(options?: CallOptions): Promise<void> {
    await this.dispose();
    const { runtime: kind, spin, logitsMemoryMiB, packAbovePadding } = this.kwargs;
    const runtime = this.provider ? await openProvider(this.provider) : await openOrtRuntime({ kind });
    const model = await loadModel(this.options, this.kwargs);
    const sessions = new SessionCache(runtime, { threads: this.options.threads, spin });
    const { optimizer: config, topology } = this.options;
    const groupOf =
      config &&
      (topology.rank > 0
        ? () => GRADIENTS_ONLY
        : parameterGroups(config, optimizerRules(config, { runtime, compile: sessions.compile })));
    const specs = parameterSpecs(model.config);
    const placed = specs.map((spec) => ({ ...spec, group: groupOf ? groupOf(spec) : null }));
    const store = new ParameterStore(runtime, placed);
    await model.fill(store, options);
    const variants = { logitsBytes: logitsMemoryMiB * 2 ** 20, packAbovePadding };
    const step = new TrainingStep(runtime, sessions, model.config, store, variants);
    const optimizer = config && new Optimizer(config.name, store.trained);
    optimizer?.restartAverage();
    this.loaded = { model, store, optimizer, kwargs: this.kwargs, sessions, step };
  }

  modelInfo(): EngineModelInfo {
    const { model, store } = this.state;
    const { modelType, vocabSize, maxPositions } = model.config;
    return { modelType, vocabSize, maxPositions, parameters: store.count };
  }

  /** Cuts what attention would not fit into memory for: many short sequences beside a long one. */
  partition(batch: SequenceBatch, groupSize: number): readonly (readonly number[])[] {
    return partitionByLength(batch, groupSize, this.state.model.config, this.kwargs.attentionMemoryMiB * 2 ** 20);
  }

  forward(batch: SequenceBatch, outputs: readonly OutputName[], options?: CallOptions): Promise<ModelOutputs> {
    return this.state.step.forward(batch, outputs, options);
  }

  backward(batch: SequenceBatch, gradients: ModelOutputs, options?: CallOptions): Promise<void> {
    this.trained("backward");
    return this.state.step.backward(batch, gradients, options);
  }

  fused(
    batch: SequenceBatch,
    loss: LossFunction,
    counts: GlobalCounts,
    options?: CallOptions,
  ): Promise<FusedResult | null> {
    this.trained("fused");
    return this.state.step.fused(batch, loss, counts, options);
  }

  async zeroGrad(): Promise<void> {
    this.state.optimizer?.zeroGrad();
  }

  async gradNorm(): Promise<number> {
    return this.trained("gradNorm").gradNorm();
  }

  async step(update: { lr: number; gradScale: number; optimizer: OptimizerConfig }): Promise<void> {
    await this.trained("step").update(update);
  }

  async *parameters(options?: CallOptions): AsyncGenerator<NamedTensor> {
    const { store } = this.state;
    for (const tensor of store.namedValues()) {
      options?.signal?.throwIfAborted();
      yield tensor;
    }
  }

  async *gradients(options?: CallOptions): AsyncGenerator<NamedTensor> {
    this.trained("gradients");
    const { store } = this.state;
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
    for (const { data } of this.state.store.namedValues()) await next(data as Float32Array);
  }

  save(dir: string, parts: readonly CheckpointPart[], options?: CallOptions): Promise<void> {
    return saveCheckpoint(dir, parts, this.state, options);
  }

  restore(dir: string, parts: readonly CheckpointPart[], options?: CallOptions): Promise<void> {
    return restoreCheckpoint(dir, parts, this.state, options);
  }

  async dispose(): Promise<void> {
    const { loaded } = this;
    this.loaded = null;
    if (!loaded) return;
    await loaded.sessions.dispose();
    loaded.step.dispose();
    loaded.store.dispose();
  }

  private get state(): Loaded {
    if (this.loaded) return this.loaded;
    throw errors.VERL_ONNX_NOT_LOADED({ what: "the engine was used before its weights were loaded" });
  }

  private trained(call: string): Optimizer {
    const { optimizer } = this.state;
    if (optimizer) return optimizer;
    throw errors.VERL_ONNX_FORWARD_ONLY({ what: `${call} was called on an engine without an optimizer` });
  }
}
