import type { ConfigReader } from "../config-reader.js";
import type { Activation, HeadKind, LayerConfig, ModelConfig } from "../model.js";
import type { ParameterNames } from "../param-names.js";

/** What a family decides about a model; the rest is common to all. */
export type Architecture = Omit<
  ModelConfig,
  "modelType" | "vocabSize" | "head" | "headSize" | "headBias" | "bosTokenId" | "eosTokenIds" | "padTokenId" | "raw"
>;

/** A family of models, told by `model_type`. To add one: a file here and a line in the list of families. */
export interface ModelFamily {
  readonly modelType: string;
  /** Class in `transformers` for each head, written into exports; null where there is none. */
  readonly classes: Readonly<Record<HeadKind, string | null>>;
  /** The architecture that a configuration describes, with the defaults of `transformers`. */
  read(config: ConfigReader): Architecture;
}

/** The usual names of classes. */
export function classesOf(stem: string): ModelFamily["classes"] {
  return {
    languageModel: `${stem}ForCausalLM`,
    values: `${stem}ForTokenClassification`,
    scores: `${stem}ForSequenceClassification`,
  };
}

export type Sizes = Pick<
  ModelConfig,
  "hiddenSize" | "intermediateSize" | "numLayers" | "numHeads" | "numKvHeads" | "headDim" | "maxPositions"
>;

export interface SizeDefaults {
  readonly maxPositions: number;
  /** Default: as many as query heads. */
  readonly numKvHeads?: number;
  /** Default: hidden size / heads. */
  readonly headDim?: number;
}

/** Sizes under the keys that most families use. */
export function readSizes(config: ConfigReader, defaults: SizeDefaults): Sizes {
  const hiddenSize = config.count("hidden_size");
  const numHeads = config.count("num_attention_heads");
  const numKvHeads = config.count("num_key_value_heads", defaults.numKvHeads ?? numHeads, numHeads);
  if (numHeads % numKvHeads !== 0) {
    throw config.invalid(
      `num_attention_heads ${numHeads} is not a multiple of num_key_value_heads ${numKvHeads}`,
      "num_key_value_heads",
    );
  }
  return {
    hiddenSize,
    intermediateSize: config.count("intermediate_size"),
    numLayers: config.parts("num_hidden_layers"),
    numHeads,
    numKvHeads,
    headDim: config.parts("head_dim", defaults.headDim ?? hiddenSize / numHeads, hiddenSize / numHeads),
    maxPositions: config.count("max_position_embeddings", defaults.maxPositions),
  };
}

/** Names of activations in `hidden_act` and its like. */
export const ACTIVATIONS: Readonly<Record<string, Activation>> = {
  silu: "silu",
  swish: "silu",
  gelu: "gelu",
  gelu_new: "geluTanh",
  gelu_fast: "geluTanh",
  gelu_pytorch_tanh: "geluTanh",
  relu: "relu",
};

/** Llama's names of modules, on which most families are based. */
export const LLAMA_NAMES: ParameterNames = {
  base: "model.",
  embedding: "model.embed_tokens",
  layers: "model.layers",
  layer: {
    attentionNorm: "input_layernorm",
    qkv: ["self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"],
    attentionOut: "self_attn.o_proj",
    mlpNorm: "post_attention_layernorm",
    gate: "mlp.gate_proj",
    up: "mlp.up_proj",
    down: "mlp.down_proj",
  },
  finalNorm: "model.norm",
  heads: { languageModel: "lm_head", values: "score", scores: "score" },
};

/** What is off unless a family turns it on. */
export const PLAIN = {
  names: LLAMA_NAMES,
  transposedWeights: false,
  biases: { qkv: false, attentionOut: false, mlp: false },
  ropes: [],
  attentionSoftcap: null,
  embeddingScale: 1,
  residualScale: 1,
  logitScale: 1,
  logitSoftcap: null,
} as const satisfies Partial<Architecture>;

/** The same for every layer: full attention under the first rotary embedding, scaled by 1 / √headDim. */
export function plainLayers({ numLayers, headDim }: Sizes, changes: Partial<LayerConfig> = {}): LayerConfig[] {
  const layer = { window: null, rope: 0, attentionScale: 1 / Math.sqrt(headDim), ...changes };
  return Array.from({ length: numLayers }, () => layer);
}

const LAYER_TYPES = { full_attention: false, sliding_attention: true };

/** Which layers see a window only: `layer_types`, or the family's rule where there is none. */
export function slidingLayers(config: ConfigReader, numLayers: number, rule: (layer: number) => boolean): boolean[] {
  const named = config.choices("layer_types", LAYER_TYPES, numLayers);
  return named ?? Array.from({ length: numLayers }, (_, layer) => rule(layer));
}
