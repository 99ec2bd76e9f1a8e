import type { AnyLoss, OutputName } from "../algorithms/algebra.js";
import { clipScale } from "../algorithms/clip-grad-norm.js";
import { countsOf } from "../algorithms/counts.js";
import { lrMultiplier } from "../algorithms/lr-schedule.js";
import type { SequenceBatch } from "../data/batch/sequence-batch.js";
import type { NamedTensor } from "../data/batch/tensor.js";
import type { CallOptions } from "../host/types.js";
import type { EngineBackend } from "./backend.js";
import { checkBatch, checkColumns, checkMedia, checkOutputs } from "./check-batch.js";
import { onEveryRank } from "./data-parallel/every-rank.js";
import type { ReplicaGroup } from "./data-parallel/replicas.js";
import type {
  AdapterSet,
  BaseEngine,
  BatchOptions,
  CheckpointOptions,
  CheckpointPart,
  DataParallelTopology,
  EngineCapabilities,
  EngineModelInfo,
  ForwardBackwardResult,
  ModelOutputs,
  ModeOptions,
  OptimizerConfig,
  OptimizerStepResult,
  TrainBatchResult,
} from "./engine.js";
import { engineErrors } from "./errors.js";
import { type EngineRanks, type ForwardBackwardOptions, forwardBackward, forwardBatch } from "./forward-backward.js";
import { readHostState, writeHostState } from "./host-state.js";
import { type EngineMode, ModeStack } from "./mode-stack.js";
import { ReplacedWeights } from "./replaced-weights.js";
import { Serial } from "./serial.js";

export interface ComposeEngineOptions {
  /** Null for a forward-only engine. */
  readonly optimizer: OptimizerConfig | null;
  readonly topology: DataParallelTopology;
  /** The other ranks of a data-parallel engine whose rank 0 is the backend. */
  readonly replicas?: ReplicaGroup;
}

const DEFAULT_PARTS: readonly CheckpointPart[] = ["model", "optimizer", "extra"];

/** A complete engine from a backend, or from one on each of several ranks: modes, micro-batches, losses, clipping, schedule, counters and checkpoints' outer form. */
export function composeEngine(backend: EngineBackend, options: ComposeEngineOptions): BaseEngine {
  return new ComposedEngine(backend, options);
}

class ComposedEngine implements BaseEngine {
  readonly capabilities: EngineCapabilities;
  readonly topology: DataParallelTopology;
  private readonly modes = new ModeStack();
  /** Backends are promised that calls never overlap. */
  private readonly serial = new Serial();
  private readonly replaced: ReplacedWeights;
  private info: EngineModelInfo | null = null;
  private schedulerStep = 0;
  private skipped = 0;
  private readonly ranks: EngineRanks;

  constructor(
    private readonly backend: EngineBackend,
    private readonly options: ComposeEngineOptions,
  ) {
    this.capabilities = backend.capabilities;
    this.topology = options.topology;
    this.ranks = [backend, ...(options.replicas?.replicas ?? [])];
    this.replaced = new ReplacedWeights({
      backend,
      ranks: this.ranks,
      run: (task) => this.serial.run(async () => (this.info ? task() : undefined)),
      broadcast: async () => options.replicas?.broadcastParameters(backend),
    });
  }

  get skippedUpdates(): number {
    return this.skipped;
  }

  get mode(): EngineMode | null {
    return this.modes.current;
  }

  get learningRate(): number {
    const { lr, schedule } = this.optimizer("learningRate");
    return lr * lrMultiplier(schedule, this.schedulerStep);
  }

  async initialize(options?: CallOptions): Promise<void> {
    this.replaced.needOwn("initialize");
    await this.serial.run(async () => {
      this.info = null;
      await onEveryRank(this.ranks, options?.signal, (rank, _, signal) => rank.load({ signal }));
      this.info = this.backend.modelInfo();
      this.schedulerStep = 0;
      this.skipped = 0;
    });
  }

  async trainMode({ zeroGradOnExit = true }: ModeOptions = {}): Promise<AsyncDisposable> {
    this.optimizer("trainMode");
    this.modelInfo();
    return this.modes.enter("train", async () => {
      if (zeroGradOnExit && this.info) await this.serial.run(() => this.zeroGrad());
    });
  }

  async evalMode(): Promise<AsyncDisposable> {
    this.modelInfo();
    return this.modes.enter("eval", async () => {});
  }

  optimizerZeroGrad(): Promise<void> {
    this.needTrainMode("optimizerZeroGrad");
    return this.serial.run(() => this.zeroGrad());
  }

  forwardBackwardBatch(
    batch: SequenceBatch,
    loss: AnyLoss,
    options: ForwardBackwardOptions = {},
  ): Promise<ForwardBackwardResult> {
    return this.training("forwardBackwardBatch", () => this.accumulate(batch, loss, options));
  }

  optimizerStep(options?: CallOptions): Promise<OptimizerStepResult> {
    return this.training("optimizerStep", () => this.update(options));
  }

  trainBatch(batch: SequenceBatch, loss: AnyLoss, options: ForwardBackwardOptions = {}): Promise<TrainBatchResult> {
    return this.training("trainBatch", async () => {
      await this.zeroGrad();
      const result = await this.accumulate(batch, loss, options);
      return { ...result, ...(await this.update(options)) };
    });
  }

  async lrSchedulerStep(): Promise<number> {
    this.optimizer("lrSchedulerStep");
    this.schedulerStep++;
    return this.learningRate;
  }

  async inferBatch(
    batch: SequenceBatch,
    outputs: readonly OutputName[],
    options: BatchOptions = {},
  ): Promise<ModelOutputs> {
    checkBatch(batch, this.modelInfo());
    checkMedia(batch, this.capabilities);
    checkOutputs(outputs, this.capabilities, "inferBatch");
    if (this.mode === null) throw wrongMode("inferBatch", "a mode", this.mode);
    return this.serial.run(() => forwardBatch(this.ranks, batch, outputs, options));
  }

  async *getPerTensorParam(options?: CallOptions): AsyncGenerator<NamedTensor, void, undefined> {
    this.modelInfo();
    const names = new Set<string>();
    for await (const tensor of this.backend.parameters(options)) {
      if (names.has(tensor.name)) {
        throw engineErrors.VERL_ENGINE_BAD_EXPORT({ what: `the engine exported "${tensor.name}" twice` });
      }
      names.add(tensor.name);
      yield tensor;
    }
  }

  saveCheckpoint(dir: string, options: CheckpointOptions = {}): Promise<void> {
    this.modelInfo();
    this.replaced.needOwn("saveCheckpoint");
    const { own, extra } = splitParts(options.contents);
    return this.serial.run(async () => {
      await this.backend.save(dir, own, options);
      const { schedulerStep, skipped: skippedUpdates } = this;
      if (extra) await writeHostState(dir, { schedulerStep, skippedUpdates });
    });
  }

  loadCheckpoint(dir: string, options: CheckpointOptions = {}): Promise<void> {
    this.modelInfo();
    this.replaced.needOwn("loadCheckpoint");
    const { own, extra } = splitParts(options.contents);
    return this.serial.run(async () => {
      const state = extra ? await readHostState(dir) : null;
      await this.backend.restore(dir, own, options);
      await this.replaced.afterRestore();
      if (!state) return;
      this.schedulerStep = state.schedulerStep;
      this.skipped = state.skippedUpdates;
    });
  }

  /** Backends composed here keep their parts where they compute. */
  async to(): Promise<void> {}

  async disableAdapter(): Promise<AsyncDisposable> {
    this.modelInfo();
    return this.replaced.disableAdapter();
  }

  async averagedWeights(): Promise<AsyncDisposable | null> {
    this.modelInfo();
    return this.options.optimizer?.emaDecay == null ? null : this.replaced.average();
  }

  get adapters(): AdapterSet | undefined {
    this.modelInfo();
    return this.replaced.adapters;
  }

  modelInfo(): EngineModelInfo {
    if (this.info) return this.info;
    throw engineErrors.VERL_ENGINE_NOT_INITIALIZED({ what: "the engine has no weights yet, or no longer" });
  }

  dispose(): Promise<void> {
    return this.serial.run(async () => {
      this.info = null;
      await Promise.all(this.ranks.map((rank) => rank.dispose()));
    });
  }

  private async accumulate(
    batch: SequenceBatch,
    loss: AnyLoss,
    options: ForwardBackwardOptions,
  ): Promise<ForwardBackwardResult> {
    checkBatch(batch, this.modelInfo());
    checkMedia(batch, this.capabilities);
    checkOutputs(loss.outputs, this.capabilities, `the loss "${loss.name}"`);
    checkColumns(loss, batch);
    // Gradients of ranks that are here are added up, not averaged.
    const dpSize = this.options.replicas ? 1 : this.topology.size;
    const counts = countsOf(batch, { dpSize, ...options.counts });
    return forwardBackward(this.ranks, batch, loss, counts, options);
  }

  private async update(options: CallOptions | undefined): Promise<OptimizerStepResult> {
    const optimizer = this.optimizer("optimizerStep");
    const { replicas } = this.options;
    await replicas?.reduceGradients(this.backend, options);
    const gradNorm = await this.backend.gradNorm();
    if (!Number.isFinite(gradNorm)) {
      this.skipped++;
      await this.zeroGrad();
      return { gradNorm, skipped: true };
    }
    const gradScale = clipScale(gradNorm, optimizer.clipGrad);
    await this.backend.step({ lr: this.learningRate, gradScale, optimizer }, options);
    // Not to be aborted: ranks with different parameters would go on unnoticed.
    await replicas?.broadcastParameters(this.backend);
    return { gradNorm, skipped: false };
  }

  /** A training call: alone, in train mode, and leaving no gradients behind when it fails. */
  private async training<T>(call: string, task: () => Promise<T>): Promise<T> {
    this.needTrainMode(call);
    this.replaced.needOwn(call);
    return this.serial.run(async () => {
      try {
        return await task();
      } catch (error) {
        // A rank that is lost cannot be cleared either; what went wrong first is what counts.
        if (this.info) await this.zeroGrad().catch(() => {});
        throw error;
      }
    });
  }

  private async zeroGrad(): Promise<void> {
    await onEveryRank(this.ranks, undefined, (rank) => rank.zeroGrad());
  }

  private needTrainMode(call: string): void {
    this.modelInfo();
    this.optimizer(call);
    if (this.mode !== "train") throw wrongMode(call, "train mode", this.mode);
  }

  private optimizer(call: string): OptimizerConfig {
    const { optimizer } = this.options;
    if (optimizer) return optimizer;
    throw engineErrors.VERL_ENGINE_FORWARD_ONLY({ what: `${call} was called on an engine without an optimizer` });
  }
}

function wrongMode(call: string, needed: string, mode: EngineMode | null) {
  return engineErrors.VERL_ENGINE_WRONG_MODE({
    what: `${call} needs ${needed}, the engine is in ${mode === null ? "none" : `${mode} mode`}`,
  });
}

function splitParts(contents: readonly CheckpointPart[] = DEFAULT_PARTS) {
  return { own: contents.filter((part) => part !== "extra"), extra: contents.includes("extra") };
}
