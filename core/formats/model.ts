import type { NamedTensor } from "../data/tensor.js";

/**
 * The architecture of a decoder-only model, read from `config.json` or GGUF metadata. Engines build from this and never
 * look at file formats.
 */
export interface ModelConfig {
  /** Family, as in Hugging Face's `model_type`; `llama` includes SmolLM2. */
  readonly modelType: "llama";
  readonly vocabSize: number;
  readonly hiddenSize: number;
  readonly intermediateSize: number;
  readonly numLayers: number;
  readonly numHeads: number;
  readonly numKvHeads: number;
  readonly headDim: number;
  readonly rmsNormEps: number;
  readonly ropeTheta: number;
  readonly maxPositions: number;
  readonly tieWordEmbeddings: boolean;
  readonly bosTokenId: number | null;
  /** Every id that ends a turn. */
  readonly eosTokenIds: readonly number[];
  readonly padTokenId: number | null;
  /** The file's own content in the form of `config.json`, kept for export. */
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
  /** Hugging Face names with shapes; tied heads are listed once, as the embedding. */
  readonly tensors: readonly { readonly name: string; readonly shape: readonly number[] }[];
  /** Read and convert to float32, Q/K permutation of GGUF undone. `into` avoids a copy. */
  readTensor(name: string, into?: Float32Array): Promise<NamedTensor & { readonly data: Float32Array }>;
  /** Null when the folder has no tokenizer. */
  tokenizerFiles(): Promise<TokenizerFiles | null>;
  close(): Promise<void>;
}
