import type { NamedTensor } from "../data/batch/tensor.js";
import type { ParameterNames } from "./param-names.js";

/** What a model computes from its last hidden states. */
export type HeadKind =
  /** Next-token logits. */
  | "languageModel"
  /** One number per token: a critic, `…ForTokenClassification` with one label in `transformers`. */
  | "values"
  /** Numbers per sequence, read at its last token: a reward model, `…ForSequenceClassification`. */
  | "scores";

/** σ(x)·x, x·Φ(x), Φ approximated by a tanh (`gelu_new`, `gelu_pytorch_tanh`), max(x, 0). */
export type Activation = "silu" | "gelu" | "geluTanh" | "relu";

export interface NormConfig {
  /**
   * `rms`: x / rms(x) · w (1910.07467). `rmsPlusOne`: the same with 1 + w, as Gemma stores it. `layer`: with mean and
   * bias (1607.06450).
   */
  readonly kind: "rms" | "rmsPlusOne" | "layer";
  readonly epsilon: number;
}

/** Rotary position embedding (2104.09864): position t turns pair i of a head by t · inverseFrequencies[i]. */
export interface RopeConfig {
  /** [headDim / 2], with the scaling for long contexts in them. */
  readonly inverseFrequencies: readonly number[];
  /** Factor of cosines and sines; 1 without YaRN or LongRoPE. */
  readonly magnitude: number;
}

/** What may differ between layers. */
export interface LayerConfig {
  /** Latest tokens that a query sees, itself included (2310.06825); null: all before it. */
  readonly window: number | null;
  /** Which of `ropes` turns queries and keys; null: none. */
  readonly rope: number | null;
  /** Factor of query · key. */
  readonly attentionScale: number;
}

/**
 * The architecture of a decoder-only model, read from `config.json` or GGUF metadata. Engines build from this and never
 * look at file formats or ask for the family's name.
 */
export interface ModelConfig {
  /** Family, as in Hugging Face's `model_type`. */
  readonly modelType: string;
  readonly vocabSize: number;
  readonly hiddenSize: number;
  readonly intermediateSize: number;
  readonly numLayers: number;
  readonly numHeads: number;
  readonly numKvHeads: number;
  readonly headDim: number;
  /** Longest sequence. */
  readonly maxPositions: number;

  /** Names of parameters by role. A role without a name is absent: no norm of queries, no gate, no position table. */
  readonly names: ParameterNames;
  /** Matrices of the layers are stored [inputs, outputs], as GPT-2's are. */
  readonly transposedWeights: boolean;
  readonly biases: { readonly qkv: boolean; readonly attentionOut: boolean; readonly mlp: boolean };
  readonly norm: NormConfig;
  readonly ropes: readonly RopeConfig[];
  readonly layers: readonly LayerConfig[];
  readonly activation: Activation;
  /** Attention scores s become c · tanh(s / c) (Gemma 2, 2408.00118). */
  readonly attentionSoftcap: number | null;
  /** Factor of the embedded tokens. */
  readonly embeddingScale: number;
  /** Factor of what attention and MLP add to the residual stream. */
  readonly residualScale: number;
  /** Factor of the logits, before their soft cap. */
  readonly logitScale: number;
  readonly logitSoftcap: number | null;

  readonly head: HeadKind;
  /** Numbers per row that the head gives: the vocabulary, 1, or the labels. */
  readonly headSize: number;
  readonly headBias: boolean;
  /** The language-model head is the embedding. */
  readonly tieWordEmbeddings: boolean;

  readonly bosTokenId: number | null;
  /** Every id that ends a turn. */
  readonly eosTokenIds: readonly number[];
  readonly padTokenId: number | null;
  /** The file's own content in the form of `config.json`, completed with the defaults that were used; for export. */
  readonly raw: Readonly<Record<string, unknown>>;
}

/** Texts from which a tokenizer is made, in Hugging Face's forms. */
export interface TokenizerFiles {
  readonly tokenizerJson: Readonly<Record<string, unknown>>;
  readonly tokenizerConfig: Readonly<Record<string, unknown>>;
  /** `chat_template.jinja` or the config's `chat_template`. */
  readonly chatTemplate: string | null;
  readonly generationConfig: Readonly<Record<string, unknown>>;
}

/** An opened model: a Hugging Face folder or a GGUF file behind one face. */
export interface ModelSource {
  readonly path: string;
  readonly format: "hf" | "gguf";
  readonly config: ModelConfig;
  /**
   * Hugging Face names with shapes; tied heads are listed once, as the embedding. A value or score head that the files
   * do not have is not listed: it is new.
   */
  readonly tensors: readonly { readonly name: string; readonly shape: readonly number[] }[];
  /** Read and convert to float32, Q/K permutation of GGUF undone. `into` avoids a copy. */
  readTensor(name: string, into?: Float32Array): Promise<NamedTensor & { readonly data: Float32Array }>;
  /** Null when the folder has no tokenizer. */
  tokenizerFiles(): Promise<TokenizerFiles | null>;
  close(): Promise<void>;
}

export interface OpenModelOptions {
  /** What the model is to compute; default: next-token logits. */
  readonly head?: HeadKind;
  /** Read weights that are NaN or infinite; by default they are refused, by name. */
  readonly allowNonFinite?: boolean;
}
