import {
  type LoraShape,
  loraParameterSpecs,
  type ModelConfig,
  type ParameterSpec,
  parameterSpecs,
} from "../../core/formats/index.js";
import { planAttention } from "./backend/attention-plan.js";
import { LIVE_LOGITS_ARRAYS } from "./backend/variant.js";

/** Bytes that training takes, by purpose. An estimate: onnxruntime's arena rounds up and keeps what it once had. */
export interface TrainingMemory {
  /** Weights; of what is trained also gradients and the arrays of the optimizer. */
  readonly parameters: number;
  /** Activations that the backward pass needs, of one micro-batch. */
  readonly activations: number;
  /** Attention weights: of all layers, or of one block of queries where sequences are long. */
  readonly attention: number;
  /** [rows, vocabulary] arrays of the head. */
  readonly logits: number;
  readonly total: number;
}

export interface TrainingShape {
  /** Tokens of a micro-batch, padding included where it is computed. */
  readonly tokens: number;
  /** Longest sequence. */
  readonly longest: number;
  /** False for a forward-only engine. */
  readonly trains: boolean;
  /** What is trained in place of the whole model. */
  readonly adapter?: LoraShape;
  /** Arrays that the optimizer keeps beside weights and gradients; default AdamW's two moments. */
  readonly optimizerStates?: number;
  /** The engine's bounds, as configured. */
  readonly logitsMemoryMiB: number;
  readonly attentionMemoryMiB: number;
}

const BYTES = Float32Array.BYTES_PER_ELEMENT;

/** What a training run will need, known before it starts. */
export function trainingMemory(config: ModelConfig, shape: TrainingShape): TrainingMemory {
  const { hiddenSize, intermediateSize, numHeads, numKvHeads, headDim, numLayers, vocabSize, layers } = config;
  const { tokens, longest, trains, adapter, optimizerStates = 2 } = shape;
  const frozen = adapter || !trains ? elements(parameterSpecs(config)) : 0;
  const trained = adapter ? elements(loraParameterSpecs(config, adapter)) : elements(parameterSpecs(config)) - frozen;
  const parameters = (frozen + trained * (trains ? 2 + optimizerStates : 1)) * BYTES;
  // Per token: the inputs of two norms; heads, their mixture in two layouts; gate and up. The rest is computed again.
  const perLayer = 2 * hiddenSize + 3 * numHeads * headDim + 2 * numKvHeads * headDim + 2 * intermediateSize;
  const keptLayers = trains ? numLayers : 1;
  const activations = tokens * perLayer * keptLayers * BYTES;
  const bounded = (bytes: number, limitMiB: number) => Math.min(bytes, limitMiB * 2 ** 20);
  const work = { sequences: tokens / longest, longest };
  const plan = planAttention({ numHeads, numLayers: keptLayers, layers }, work, shape.attentionMemoryMiB * 2 ** 20);
  const attention = bounded(plan.bytes, shape.attentionMemoryMiB);
  const logits = bounded(tokens * vocabSize * BYTES * LIVE_LOGITS_ARRAYS, shape.logitsMemoryMiB);
  return { parameters, activations, attention, logits, total: parameters + activations + attention + logits };
}

function elements(specs: readonly ParameterSpec[]): number {
  return specs.reduce((sum, { shape }) => sum + shape.reduce((n, d) => n * d, 1), 0);
}
