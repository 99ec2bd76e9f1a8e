import type { GlobalCounts, LossFunction, MetricValue, OutputName } from "../algorithms/algebra.js";
import type { SequenceBatch } from "../data/batch/sequence-batch.js";
import type { NamedTensor } from "../data/batch/tensor.js";
import type { CallOptions } from "../host/types.js";
import type {
  AdapterChanges,
  AdapterSet,
  CheckpointPart,
  EngineCapabilities,
  EngineModelInfo,
  ModelOutputs,
  OptimizerConfig,
} from "./engine.js";

/**
 * The least that a new engine must supply; `composeEngine` makes a complete `BaseEngine` from it. Calls never overlap.
 * A micro-batch fits the token budget; the backend may pad, pack or bucket it as it likes.
 */
export interface EngineBackend {
  readonly capabilities: EngineCapabilities;
  load(options?: CallOptions): Promise<void>;
  modelInfo(): EngineModelInfo;

  /**
   * Rows of the parts into which this backend wants a micro-batch cut further, each once; consecutive groups of `groupSize`
   * rows stay together. For limits that a token budget does not see, such as the memory of attention.
   */
  partition?(microBatch: SequenceBatch, groupSize: number): readonly (readonly number[])[];

  /** Forward pass: the outputs asked for, in the order of the batch. Must be free of side effects on parameters. */
  forward(microBatch: SequenceBatch, outputs: readonly OutputName[], options?: CallOptions): Promise<ModelOutputs>;
  /**
   * Phase two: add ∂loss/∂θ to the gradient buffers, given ∂loss/∂output [R]. Called right after `forward` on the same
   * micro-batch; a backend may keep activations from it or recompute.
   */
  backward(microBatch: SequenceBatch, gradients: ModelOutputs, options?: CallOptions): Promise<void>;
  /**
   * Forward, loss and backward in one call. Returns null for a loss that it cannot lower; the host then goes two-phase.
   * Must agree with the two-phase path to 1e-5 relative.
   */
  fused?(
    microBatch: SequenceBatch,
    loss: LossFunction,
    counts: GlobalCounts,
    options?: CallOptions,
  ): Promise<FusedResult | null>;

  zeroGrad(): Promise<void>;
  /** Global L2 norm of the gradients, accumulated in float64. */
  gradNorm(): Promise<number>;
  /** One optimizer update at the given rate with gradients multiplied by `gradScale`. */
  step(update: { lr: number; gradScale: number; optimizer: OptimizerConfig }, options?: CallOptions): Promise<void>;

  /** Adapters of the model, where the engine was made with one. */
  readonly adapters?: BackendAdapters;
  /** Weights and their moving average change places, where one is kept. */
  swapAverage?(): Promise<void>;

  /** Parameters under Hugging Face names, adapters merged into them. */
  parameters(options?: CallOptions): AsyncIterable<NamedTensor>;
  /** Gradients under the same names and in the same order, float32. */
  gradients(options?: CallOptions): AsyncIterable<NamedTensor>;

  /**
   * What data parallelism needs beside `gradients`: the first rank adds the gradients of the others to its own, and the
   * others take over its parameters after each update. `next` fills an array with the numbers that come next, in the order
   * of `gradients()` and of `trainedTensors()`, by default `parameters()`. Ranks above 0 never get `gradNorm`, `step`, `save`
   * or `restore`.
   */
  addGradients?(next: NumberSource, options?: CallOptions): Promise<void>;
  setParameters?(next: NumberSource, options?: CallOptions): Promise<void>;
  /** The tensors that updates change, where these are not the parameters. */
  trainedTensors?(options?: CallOptions): AsyncIterable<NamedTensor>;

  /** Write or read the listed parts; `extra` (schedule, counters) is the host's and never passed here. */
  save(dir: string, parts: readonly CheckpointPart[], options?: CallOptions): Promise<void>;
  restore(dir: string, parts: readonly CheckpointPart[], options?: CallOptions): Promise<void>;
  dispose(): Promise<void>;
}

/** Fills an array with the numbers that come next. */
export type NumberSource = (into: Float32Array) => Promise<void>;
export interface BackendAdapters extends AdapterSet, AdapterChanges {}

export interface FusedResult {
  readonly loss: number;
  readonly metrics: Readonly<Record<string, MetricValue>>;
  readonly outputs: ModelOutputs;
}
