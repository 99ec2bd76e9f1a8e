import { formatErrors } from "./errors.js";
import type { ModelConfig } from "./model.js";

export interface ParseModelConfigOptions {
  /** `generation_config.json`; its token ids win over those of the configuration. */
  readonly generationConfig?: Readonly<Record<string, unknown>>;
  /** The file that the values come from, for messages. */
  readonly where?: string;
}

/**
 * The architecture from the content of a Hugging Face `config.json`, with the defaults of `transformers`. A feature that
 * would change the model's numbers and is missing here is refused by name, never ignored.
 */
export function parseModelConfig(
  raw: Readonly<Record<string, unknown>>,
  options: ParseModelConfigOptions = {},
): ModelConfig {
  const { generationConfig = {}, where } = options;
  const read = new ConfigReader(raw, where);
  const modelType = raw.model_type;
  if (modelType !== "llama") {
    throw read.unsupported(`models of type ${JSON.stringify(modelType ?? null)}`, "only the llama family is supported");
  }
  refuseUnsupported(raw, read);

  const hiddenSize = read.count("hidden_size");
  const numHeads = read.count("num_attention_heads");
  const numKvHeads = read.count("num_key_value_heads", numHeads);
  if (numHeads % numKvHeads !== 0) {
    throw read.invalid(`num_attention_heads ${numHeads} is not a multiple of num_key_value_heads ${numKvHeads}`);
  }
  const headDim = read.count("head_dim", hiddenSize / numHeads);
  if (headDim % 2 !== 0) throw read.invalid(`head_dim ${headDim} is odd; rotary embeddings need an even one`);

  const vocabSize = read.count("vocab_size");
  const tokenIds = (key: string) => tokenIdList(generationConfig[key] ?? raw[key], key, vocabSize, read);
  return {
    modelType,
    vocabSize,
    hiddenSize,
    intermediateSize: read.count("intermediate_size"),
    numLayers: read.count("num_hidden_layers"),
    numHeads,
    numKvHeads,
    headDim,
    rmsNormEps: read.positive("rms_norm_eps", 1e-6),
    ropeTheta: ropeTheta(raw, read),
    maxPositions: read.count("max_position_embeddings", 2048),
    tieWordEmbeddings: raw.tie_word_embeddings === true,
    bosTokenId: tokenIds("bos_token_id")[0] ?? null,
    eosTokenIds: tokenIds("eos_token_id"),
    padTokenId: tokenIds("pad_token_id")[0] ?? null,
    raw,
  };
}

/** Largest value of any size; far above real models, low enough that derived counts stay exact. */
const MAX_COUNT = 2 ** 24;

class ConfigReader {
  constructor(
    private readonly raw: Readonly<Record<string, unknown>>,
    private readonly where: string | undefined,
  ) {}

  /** A positive integer. */
  count(key: string, fallback?: number): number {
    const value = this.raw[key] ?? fallback;
    if (value === undefined) throw this.invalid(`${key} is missing`);
    if (!Number.isInteger(value) || (value as number) < 1 || (value as number) > MAX_COUNT) {
      throw this.invalid(`${key} is ${JSON.stringify(value)}, expected an integer from 1 to ${MAX_COUNT}`);
    }
    return value as number;
  }

  positive(key: string, fallback: number, value: unknown = this.raw[key]): number {
    const number = value ?? fallback;
    if (typeof number !== "number" || !Number.isFinite(number) || number <= 0) {
      throw this.invalid(`${key} is ${JSON.stringify(number)}, expected a positive number`);
    }
    return number;
  }

  invalid(what: string): Error {
    return formatErrors.VERL_FORMATS_CONFIG_INVALID({ what, where: this.where });
  }

  unsupported(feature: string, why?: string): Error {
    return formatErrors.VERL_FORMATS_MODEL_UNSUPPORTED({
      what: `this model uses ${feature}, which is not supported`,
      where: this.where,
      why,
    });
  }
}

/** `transformers` 5 writes `rope_parameters`; earlier versions write `rope_theta` and `rope_scaling`. */
function ropeTheta(raw: Readonly<Record<string, unknown>>, read: ConfigReader): number {
  const parameters = objectOrEmpty(raw.rope_parameters);
  return read.positive("rope_theta", 10000, parameters.rope_theta ?? raw.rope_theta);
}

function refuseUnsupported(raw: Readonly<Record<string, unknown>>, read: ConfigReader): void {
  for (const key of ["rope_scaling", "rope_parameters"]) {
    const scaling = objectOrEmpty(raw[key]);
    const type = scaling.rope_type ?? scaling.type ?? "default";
    if (type !== "default") throw read.unsupported(`${key} of type ${JSON.stringify(type)}`);
    const partial = scaling.partial_rotary_factor ?? 1;
    if (partial !== 1) throw read.unsupported(`partial_rotary_factor ${JSON.stringify(partial)}`);
  }
  const activation = raw.hidden_act ?? "silu";
  if (activation !== "silu" && activation !== "swish") {
    throw read.unsupported(`the activation ${JSON.stringify(activation)}`, "the llama family uses silu");
  }
  if (typeof raw.sliding_window === "number" && raw.use_sliding_window !== false) {
    throw read.unsupported(`sliding-window attention (sliding_window ${raw.sliding_window})`);
  }
  for (const flag of ["attention_bias", "mlp_bias", "rope_interleaved"]) {
    if (raw[flag] === true) throw read.unsupported(flag);
  }
  if ((raw.partial_rotary_factor ?? 1) !== 1) {
    throw read.unsupported(`partial_rotary_factor ${JSON.stringify(raw.partial_rotary_factor)}`);
  }
  if (raw.quantization_config !== undefined && raw.quantization_config !== null) {
    const method = objectOrEmpty(raw.quantization_config).quant_method;
    throw read.unsupported(`quantised weights (${JSON.stringify(method ?? "unknown method")})`);
  }
}

/** Null, one id, or a list of ids. Ids outside the vocabulary (some files say -1) are dropped: they are never produced. */
function tokenIdList(value: unknown, key: string, vocabSize: number, read: ConfigReader): number[] {
  if (value === null || value === undefined) return [];
  const ids: unknown[] = Array.isArray(value) ? value : [value];
  if (!ids.every((id) => Number.isInteger(id))) {
    throw read.invalid(`${key} is ${JSON.stringify(value)}, expected token ids`);
  }
  return [...new Set(ids as number[])].filter((id) => id >= 0 && id < vocabSize);
}

function objectOrEmpty(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
