import { shown } from "../../host/util/shown.js";
import type { JsonObject } from "../config-reader.js";
import type { GgufMetadata } from "./gguf-metadata.js";

/** llama.cpp's, for files that do not say. */
const DEFAULT_THETA = 10000;

/** `rope_theta` and `rope_scaling` of `config.json`. */
export async function ropeConfig(metadata: GgufMetadata): Promise<JsonObject> {
  const theta = metadata.number("rope.freq_base") ?? DEFAULT_THETA;
  const scaling = await ropeScaling(metadata, theta);
  return { rope_theta: theta, ...(scaling ? { rope_scaling: scaling } : {}) };
}

async function ropeScaling(metadata: GgufMetadata, theta: number): Promise<JsonObject | null> {
  const type = metadata.get("rope.scaling.type") ?? "linear";
  const factor = (metadata.number("rope.scaling.factor") ?? metadata.number("rope.scale_linear")) || 1;
  const sharpness = metadata.number("rope.scaling.attn_factor") ?? 1;
  const divisors = await metadata.values("rope_freqs.weight");
  if (divisors) {
    if (type === "yarn" || type === "longrope" || factor !== 1 || sharpness !== 1) {
      throw metadata.unsupported(`rope_freqs.weight beside rope scaling of type ${type} by ${factor}`);
    }
    return dividedFrequencies(metadata, divisors, theta);
  }
  switch (type) {
    case "none":
    case "linear":
      if (sharpness !== 1) throw metadata.unsupported(`rope.scaling.attn_factor ${sharpness} with type ${type}`);
      return type === "none" || factor === 1 ? null : { rope_type: "linear", factor };
    case "yarn":
      return yarn(metadata, factor, sharpness);
    case "longrope":
      return longrope(metadata, sharpness);
    default:
      throw metadata.unsupported(`rope scaling of type ${shown(type)}`);
  }
}

function yarn(metadata: GgufMetadata, factor: number, sharpness: number): JsonObject {
  for (const [key, usual] of [
    ["yarn_log_multiplier", 0],
    ["yarn_ext_factor", 1],
    ["yarn_attn_factor", 1],
  ] as const) {
    const value = metadata.number(`rope.scaling.${key}`) ?? usual;
    if (value !== usual) throw metadata.unsupported(`rope.scaling.${key} ${value}`);
  }
  return withoutUndefined({
    rope_type: "yarn",
    factor,
    original_max_position_embeddings: metadata.number("rope.scaling.original_context_length"),
    beta_fast: metadata.number("rope.scaling.yarn_beta_fast"),
    beta_slow: metadata.number("rope.scaling.yarn_beta_slow"),
    attention_factor: sharpness === 1 ? undefined : sharpness * (1 + 0.1 * Math.log(factor)),
  });
}

async function longrope(metadata: GgufMetadata, sharpness: number): Promise<JsonObject> {
  const [short, long] = await Promise.all(
    ["short", "long"].map((name) => metadata.values(`rope_factors_${name}.weight`)),
  );
  if (!short || !long) throw metadata.invalid("rope scaling is longrope, but there are no rope_factors_*.weight");
  return {
    rope_type: "longrope",
    short_factor: short,
    long_factor: long,
    original_max_position_embeddings:
      metadata.number("rope.scaling.original_context_length") ?? metadata.required("context_length"),
    attention_factor: sharpness,
  };
}

/**
 * Converters store Llama 3's scaling as a divisor for each frequency. Where the divisors are those of Llama 3.x, its own
 * parameters come back; others are stated as a LongRoPE that does not depend on the length.
 */
function dividedFrequencies(metadata: GgufMetadata, divisors: readonly number[], theta: number): JsonObject | null {
  const factor = Math.max(...divisors);
  if (factor === 1 && Math.min(...divisors) === 1) return null;
  const parameters = { factor, low_freq_factor: 1, high_freq_factor: 4, original_max_position_embeddings: 8192 };
  if (isLlama3(divisors, theta, parameters)) return { rope_type: "llama3", ...parameters };
  return {
    rope_type: "longrope",
    short_factor: divisors,
    long_factor: divisors,
    original_max_position_embeddings: metadata.required("context_length"),
    attention_factor: 1,
  };
}

interface Llama3Parameters {
  readonly factor: number;
  readonly low_freq_factor: number;
  readonly high_freq_factor: number;
  readonly original_max_position_embeddings: number;
}

function isLlama3(divisors: readonly number[], theta: number, parameters: Llama3Parameters): boolean {
  const { factor, low_freq_factor: low, high_freq_factor: high, original_max_position_embeddings: length } = parameters;
  return divisors.every((divisor, i) => {
    const turns = (length * theta ** (-i / divisors.length)) / (2 * Math.PI);
    const kept = Math.min(Math.max((turns - low) / (high - low), 0), 1);
    return Math.abs(divisor * ((1 - kept) / factor + kept) - 1) < 1e-5;
  });
}

function withoutUndefined(object: Record<string, unknown>): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}
