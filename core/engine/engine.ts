import type { AnyLoss, GlobalCounts, MetricValue, OutputName } from "../algorithms/algebra.js";
import type { SequenceBatch } from "../data/batch/sequence-batch.js";
import type { DType, NamedTensor } from "../data/batch/tensor.js";
import type { Profiler } from "../host/profiler.js";
import type { Awaitable, CallOptions, Diagnosis } from "../host/types.js";
import type { EngineBackend } from "./backend.js";
import type { EngineWork, MemoryPart } from "./memory.js";
import type { EngineCheck } from "./plan-check.js";

/** What an engine can and cannot do, known before `initialize`, so that a run is refused early instead of failing late. */
export interface EngineCapabilities {
  /** How weights leave the engine: tensors as a stream, a checkpoint path, or an opaque handle of a hosted service. */
  readonly weights: "stream" | "path" | "handle";
  /** `fused` engines may still fall back to two-phase for a loss that they cannot lower. */
  readonly backward: "fused" | "twoPhase";
  /** Who runs the optimizer. */
  readonly optimizer: "host" | "engine";
  readonly outputs: readonly OutputName[];
  /** Device names on which it computes, e.g. `cpu`, `cuda`. */
  readonly devices: readonly string[];
  readonly dtypes: readonly DType[];
  /** Whether `EngineOptions.adapter` is honoured: adapters are trained, and switched off with `disableAdapter`. */
  readonly adapters: boolean;
  /** Whether media columns are understood; if not, they are refused. */
  readonly multiModal: boolean;
}

/** Place in a data-parallel group; known at construction, before weights are loaded. An engine over all ranks is rank 0. */
export interface DataParallelTopology {
  readonly rank: number;
  readonly size: number;
  /** True on the one rank of each model replica whose results count. */
  readonly isOutputSource: boolean;
}

export interface BatchOptions extends CallOptions {
  /** Token budget of a micro-batch (prompt and response tokens, padding aside). Default: no split. */
  readonly maxTokensPerMicroBatch?: number;
  /** Sequences per micro-batch; used when no token budget is given. */
  readonly microBatchSize?: number;
  /** Counts of the whole mini-batch; computed from the batch when absent. */
  readonly counts?: Partial<GlobalCounts>;
  /** `auto` (default) fuses when it can; `twoPhase` forces the host's path, for comparison. */
  readonly backward?: "auto" | "twoPhase";
}

/** Results in the layout and order of the batch that was passed in: [R] each, and `scores` [B · labels]. */
export type ModelOutputs = Partial<Record<OutputName, Float32Array>>;

export interface ForwardBackwardResult {
  /** Loss of the whole batch (sum of the micro-batches' shares); 0 for a pure forward pass. */
  readonly loss: number;
  readonly metrics: Readonly<Record<string, MetricValue>>;
  /** Outputs that the loss read, when `returnOutputs` was set. */
  readonly outputs: ModelOutputs;
  readonly microBatches: number;
}

export interface OptimizerStepResult {
  /** Global L2 norm before clipping. */
  readonly gradNorm: number;
  /** True when the norm was not finite: nothing was updated, gradients were cleared. */
  readonly skipped: boolean;
}

export interface TrainBatchResult extends ForwardBackwardResult, OptimizerStepResult {}

export interface ModeOptions {
  readonly disableAutoOffload?: boolean;
  /** Train mode only; default true. Gradients are cleared on the way out of an error in any case. */
  readonly zeroGradOnExit?: boolean;
}

export interface CheckpointOptions extends CallOptions {
  /** Parts to write or read; default `model`, `optimizer`, `extra`. `hf_model` writes a Hugging Face folder. */
  readonly contents?: readonly CheckpointPart[];
}
export type CheckpointPart = "model" | "optimizer" | "extra" | "hf_model";

/**
 * A training engine: a model with its optimizer and schedule on some device. The host owns losses; the engine owns the
 * model. Constructed by an {@link EngineFactory} with its topology known; weights are loaded by `initialize`.
 *
 * Most authors implement {@link EngineBackend} and call `composeEngine`, which supplies micro-batching, the two-phase
 * path, modes, the schedule, skipping of non-finite updates and checkpoints' outer form.
 */
export interface BaseEngine {
  readonly capabilities: EngineCapabilities;
  readonly topology: DataParallelTopology;
  /** Updates skipped because the gradient norm was not finite, since `initialize`. */
  readonly skippedUpdates: number;
  readonly mode: "train" | "eval" | null;

  initialize(options?: CallOptions): Promise<void>;
  /** Enter train mode until the result is disposed. Nestable; the outer mode comes back on exit. */
  trainMode(options?: ModeOptions): Promise<AsyncDisposable>;
  evalMode(options?: ModeOptions): Promise<AsyncDisposable>;

  optimizerZeroGrad(): Promise<void>;
  /** Forward, loss and backward over micro-batches; gradients accumulate until the optimizer step. Train mode only. */
  forwardBackwardBatch(
    batch: SequenceBatch,
    loss: AnyLoss,
    options?: BatchOptions & { returnOutputs?: boolean },
  ): Promise<ForwardBackwardResult>;
  /** Clip to `optim.clipGrad`, update, and clear nothing. A non-finite norm skips the update and clears gradients. */
  optimizerStep(options?: CallOptions): Promise<OptimizerStepResult>;
  /** Advance the schedule by one; returns the learning rate that the next update will use. */
  lrSchedulerStep(): Promise<number>;
  readonly learningRate: number;

  /** Zero gradients, forward/backward, optimizer step. No schedule step, no mode switch. */
  trainBatch(
    batch: SequenceBatch,
    loss: AnyLoss,
    options?: BatchOptions & { returnOutputs?: boolean },
  ): Promise<TrainBatchResult>;
  /** Forward only, in either mode. */
  inferBatch(batch: SequenceBatch, outputs: readonly OutputName[], options?: BatchOptions): Promise<ModelOutputs>;

  /** Single-use stream of parameters under Hugging Face names; drain it or close it. */
  getPerTensorParam(options?: CallOptions): AsyncIterable<NamedTensor>;
  /** Sharded and delta exports; only engines that declare them. */
  getPerTensorParamShard?(options?: CallOptions): AsyncIterable<NamedTensor & { readonly shard: ShardSpec }>;
  getPerTensorParamDeltaShard?(options?: CallOptions): AsyncIterable<DeltaTensor>;
  primeDeltaSnapshots?(): Promise<void>;

  /** `dir` exists and is private to this call; the caller renames it into place. */
  saveCheckpoint(dir: string, options?: CheckpointOptions): Promise<void>;
  loadCheckpoint(dir: string, options?: CheckpointOptions): Promise<void>;
  /** Move parts between the device and the host; a no-op for engines that compute on the host. */
  to(device: "cpu" | "device", parts: { model?: boolean; optimizer?: boolean; grad?: boolean }): Promise<void>;
  /** Adapters off until disposed: the model as it was before them, to compute with and to export. A no-op without adapters. */
  disableAdapter(): Promise<AsyncDisposable>;
  /** Adapters by name, where `EngineOptions.adapter` asked for one. */
  readonly adapters?: AdapterSet;
  /**
   * Weights replaced by their moving average until disposed, to compute with and to export; null where none is kept
   * (`OptimizerConfig.emaDecay`).
   */
  averagedWeights?(): Promise<AsyncDisposable | null>;
  /** Vocabulary size and position limit of the loaded model. */
  modelInfo(): EngineModelInfo;
  dispose(): Promise<void>;
}

/** Several adapters of one model, of which one at a time is computed with, trained and exported. */
export interface AdapterSet {
  /** The engine's own is called `default`. */
  readonly names: readonly string[];
  readonly active: string;
  /** Add an adapter, with moments of its own. The active one stays active. */
  add(name: string, source: AdapterConfig): Promise<void>;
  /** Make an adapter the active one. Gradients are cleared. */
  use(name: string): Promise<void>;
  /** Any but the active one. */
  remove(name: string): Promise<void>;
  /** Write one in the layout of PEFT's `save_pretrained`. */
  save(name: string, dir: string, options?: CallOptions): Promise<void>;
}

/** What changes a backend's adapters; done on every rank. */
export interface AdapterChanges extends Pick<AdapterSet, "add" | "use" | "remove"> {
  /** Switch all adapters off or on again; gradients and moments stay. */
  enable(on: boolean): Promise<void>;
}

/** An adapter to train on a model whose own weights stay as they are (LoRA, 2106.09685), under PEFT's names. */
export type AdapterConfig =
  | {
      readonly rank: number;
      readonly alpha: number;
      /** The scale is α / √rank instead of α / rank. */
      readonly rslora?: boolean;
      /** `all-linear`, a regular expression for full names, or a list of names. */
      readonly targetModules: string | readonly string[];
      readonly excludeModules?: string | readonly string[] | null;
    }
  /** A folder in PEFT's layout. */
  | { readonly path: string };

export interface EngineModelInfo {
  readonly modelType: string;
  readonly vocabSize: number;
  readonly maxPositions: number;
  readonly parameters: number;
  /** Parameters that the optimizer updates: those of the active adapter where there is one, 0 without optimizer. */
  readonly trainedParameters?: number;
}

/** Position of a flat shard in the full tensor. */
export interface ShardSpec {
  readonly fullShape: readonly number[];
  readonly offset: number;
  readonly length: number;
}

/** Elements whose bits changed since the last export. Positions are flat indices into the full tensor. */
export interface DeltaTensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly dtype: DType;
  readonly positions: Int32Array;
  readonly values: Float32Array;
}

/**
 * What a parameter is, for rules by kind. `embedding`: of tokens and of positions, a tied head included; `matrix`: every
 * linear map between embedding and head.
 */
export type ParameterKind = "embedding" | "head" | "norm" | "bias" | "matrix";

/** How Muon's rate depends on a matrix's shape; the names of `torch.optim.Muon`. */
export type MuonScale = "original" | "match_rms_adamw" | "spectral_unclamped";

/** An engine refuses a name that it does not have; it honours every field that is set. */
export interface OptimizerConfig {
  readonly name: "adamw" | "sgd" | "muon" | (string & {});
  readonly lr: number;
  /** Of AdamW, as is `eps`; also for the parameters that Muon leaves to AdamW. */
  readonly betas: readonly [number, number];
  readonly eps: number;
  /** Decoupled; with SGD it is added to the gradient. */
  readonly weightDecay: number;
  /** Of SGD (default 0) and Muon (default 0.95). */
  readonly momentum?: number;
  /** Default: off with SGD, on with Muon. */
  readonly nesterov?: boolean;
  readonly muon?: {
    /** Default `match_rms_adamw`: one rate serves both rules. */
    readonly scale?: MuonScale;
    /** Newton–Schulz iterations; default 5. */
    readonly iterations?: number;
  };
  /** Kinds of parameters that do not decay; default none. */
  readonly noDecay?: readonly ParameterKind[];
  /** Factors of the learning rate; default 1. */
  readonly lrScale?: Readonly<Partial<Record<ParameterKind, number>>>;
  /** Keep a moving average of the weights with this decay per update; absent or null: none. */
  readonly emaDecay?: number | null;
  /** Global-norm bound; 0 or Infinity turns clipping off (the norm is still reported). */
  readonly clipGrad: number;
  readonly schedule: LrScheduleConfig;
}

export interface LrScheduleConfig {
  readonly type: "constant" | "cosine" | "wsd";
  readonly warmupSteps: number;
  /** Horizon in scheduler steps; needed by cosine and wsd. */
  readonly totalSteps: number;
  readonly minLrRatio: number;
  readonly numCycles: number;
  /** wsd: steps of constant rate after warm-up. */
  readonly stableSteps?: number;
}

/**
 * What an engine's model computes: next-token log-probabilities, a value per token (critic), or scores of whole sequences
 * (reward model).
 */
export type EngineModelType = "language_model" | "value_model" | "reward_model";

/** Everything that an engine is made from. `model.path` is a Hugging Face folder or a GGUF file. */
export interface EngineOptions {
  /** Default `language_model`; the host sets it to the type under which the engine was looked up. */
  readonly modelType?: EngineModelType;
  readonly model: EngineModelSource;
  /** Null for a forward-only engine (reference policy). */
  readonly optimizer: OptimizerConfig | null;
  /** Train this adapter and nothing else; absent or null: all weights are trained. */
  readonly adapter?: AdapterConfig | null;
  readonly topology: DataParallelTopology;
  /** CPU threads; 0 = the engine's choice. */
  readonly threads: number;
  /** Seeds dropout, random initial weights and the like. */
  readonly seed: number;
  /** The section `engineKwargs.<backend>` of the configuration. */
  readonly extra: Readonly<Record<string, unknown>>;
  /** Collects where the time goes; absent: nobody asks. */
  readonly profiler?: Profiler;
}

export type EngineModelSource =
  | { readonly path: string }
  /** Random weights for a configuration in the form of Hugging Face's `config.json`. */
  | { readonly config: Readonly<Record<string, unknown>>; readonly initSeed: number };

/** How an engine is registered: `model type → backend → (device, vendor)`. */
export interface EngineFactory {
  readonly modelTypes: readonly EngineModelType[];
  readonly backends: readonly string[];
  readonly devices: readonly string[];
  /** Null: any vendor with that device. */
  readonly vendors: readonly string[] | null;
  /** Whether an unset `VERL_ENGINE`/`strategy` may pick it for its device. */
  readonly isDefault?: boolean;
  create(options: EngineOptions): Promise<BaseEngine>;
  /**
   * The backend alone, for data parallelism: the host makes one in every training process, says in `topology` which rank it
   * is, and composes an engine of them. It must have `addGradients` and `setParameters`. Without this the engine runs in one
   * process.
   */
  createBackend?(options: EngineOptions): Awaitable<EngineBackend>;
  /**
   * What is known of an engine made from these options before it is made: for `--dry-run`, `config check` and the start of a run, which
   * tell all that is wrong at once. Reads what it must of the model, starts nothing, writes nothing, and reports what is wrong instead of
   * throwing it. The schedule's `totalSteps` is 0 where the data have not been read yet. Without this such faults end the run when it starts.
   */
  check?(options: EngineOptions, work: EngineWork): Awaitable<EngineCheck>;
  /**
   * Refuses a checkpoint's folder with the error with which `loadCheckpoint` of an engine made from these options would, as far as its
   * files tell without reading all of them: for `--dry-run` and the start of a run that resumes. Starts nothing, writes nothing. Without
   * this such faults end the run when it loads the checkpoint.
   */
  checkCheckpoint?(options: EngineOptions, dir: string, contents: readonly CheckpointPart[]): Awaitable<void>;
  /**
   * Memory that an engine made from these options will take for such batches, for `--dry-run` and the start of a run. Reads
   * what it must of the model, starts nothing, and throws what `create` would throw for a model that cannot be read.
   */
  estimate?(options: EngineOptions, work: EngineWork): Awaitable<readonly MemoryPart[]>;
  /**
   * Why it cannot compute on a platform that it is registered for, in words (a library is not installed); null where it can.
   * Detection passes such a platform over, and a run that names it is refused with the reason.
   */
  unavailable?(platform: { readonly deviceName: string; readonly vendorName: string }): Awaitable<string | null>;
  /** What `verl doctor` shows about it: libraries, self-tests. Must not throw and leaves nothing running. */
  diagnose?(): Awaitable<readonly Diagnosis[]>;
}
