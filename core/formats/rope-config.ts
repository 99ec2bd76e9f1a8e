import type { ConfigReader } from "./config-reader.js";
import type { RopeConfig } from "./model.js";

/** What a scaling starts from. */
interface RopeBase {
  readonly headDim: number;
  readonly theta: number;
  readonly maxPositions: number;
  /** θ^(−2i / headDim), [headDim / 2] */
  readonly frequencies: readonly number[];
}

export interface ReadRope extends RopeConfig {
  /** Longest sequence for which these frequencies hold. */
  readonly maxPositions: number;
}

type Scaling = (base: RopeBase, parameters: ConfigReader, originalPositions: () => number) => Partial<ReadRope>;

/** By `rope_type`, each as in `transformers`. What is left out stays as without scaling. */
const SCALINGS: Readonly<Record<string, Scaling>> = {
  default: () => ({}),

  /** Positions divided by a factor (2306.15595). */
  linear({ frequencies }, parameters) {
    const factor = parameters.positive("factor");
    return { inverseFrequencies: frequencies.map((f) => f / factor) };
  },

  /**
   * The base grows with the length of the sequence once that exceeds `max_position_embeddings`; up to there nothing is
   * scaled. Longer sequences are not computed: keys in a cache would have to be turned anew for every token.
   */
  dynamic: () => ({}),

  /** Low frequencies are divided by a factor, high ones kept, those in between blended (Llama 3.1, 2407.21783). */
  llama3({ frequencies }, parameters, originalPositions) {
    const factor = parameters.positive("factor");
    const low = parameters.positive("low_freq_factor");
    const high = parameters.positive("high_freq_factor");
    const original = originalPositions();
    const scaled = frequencies.map((f) => {
      const turns = (original * f) / (2 * Math.PI);
      const kept = Math.min(Math.max((turns - low) / (high - low), 0), 1);
      return (1 - kept) * (f / factor) + kept * f;
    });
    return { inverseFrequencies: scaled };
  },

  /** As llama3 with other bounds, and sharper attention (YaRN, 2309.00071). */
  yarn({ frequencies, headDim, theta, maxPositions }, parameters, originalPositions) {
    const original = originalPositions();
    const factor = parameters.optionalPositive("factor") ?? maxPositions / original;
    const pairOfTurns = (turns: number) =>
      (headDim * Math.log(original / (turns * 2 * Math.PI))) / (2 * Math.log(theta));
    const isTruncated = parameters.flag("truncate", true);
    const fast = pairOfTurns(parameters.positive("beta_fast", 32));
    const slow = pairOfTurns(parameters.positive("beta_slow", 1));
    const first = Math.max(isTruncated ? Math.floor(fast) : fast, 0);
    const last = Math.min(isTruncated ? Math.ceil(slow) : slow, headDim - 1);
    const width = last === first ? 0.001 : last - first;
    const scaled = frequencies.map((f, i) => {
      const interpolated = Math.min(Math.max((i - first) / width, 0), 1);
      return (f / factor) * interpolated + f * (1 - interpolated);
    });
    const sharpness = (strength: number) => (factor <= 1 ? 1 : 0.1 * strength * Math.log(factor) + 1);
    const [strength, ofAllDimensions] = ["mscale", "mscale_all_dim"].map((key) => parameters.optionalPositive(key));
    const inferred = strength && ofAllDimensions ? sharpness(strength) / sharpness(ofAllDimensions) : sharpness(1);
    return { inverseFrequencies: scaled, magnitude: parameters.optionalPositive("attention_factor") ?? inferred };
  },

  /**
   * A divisor per frequency (LongRoPE, 2402.13753). A sequence longer than `original_max_position_embeddings` would take
   * other divisors for all its tokens, and keys in a cache would have to be turned anew; so that is the longest here.
   */
  longrope({ frequencies, headDim, maxPositions }, parameters, originalPositions) {
    const original = originalPositions();
    const divisors = parameters.positives("short_factor", headDim / 2);
    const factor = parameters.optionalPositive("factor") ?? maxPositions / original;
    const inferred = factor <= 1 ? 1 : Math.sqrt(1 + Math.log(factor) / Math.log(original));
    return {
      inverseFrequencies: frequencies.map((f, i) => f / divisors[i]),
      magnitude: parameters.optionalPositive("attention_factor") ?? inferred,
      maxPositions: Math.min(maxPositions, original),
    };
  },
};

/**
 * The rotary embedding of a model with one. `transformers` 5 writes `rope_parameters`; earlier versions write
 * `rope_theta` and `rope_scaling`.
 */
export function readRope(
  config: ConfigReader,
  sizes: { readonly headDim: number; readonly maxPositions: number },
  defaultTheta = 10000,
): ReadRope {
  const parameters = oldScaling(config) ?? config.object("rope_parameters");
  const layerType = ["full_attention", "sliding_attention"].find((name) => name in parameters.raw);
  if (layerType !== undefined) throw config.unsupported("rope_parameters", layerType, ["one embedding for all layers"]);
  const theta = parameters.positive("rope_theta", config.positive("rope_theta", defaultTheta));
  config.keep("rope_theta", theta);
  keepOldForm(config, parameters);
  return scaledRope(parameters, sizes, theta, () => {
    const outer = config.optionalCount("original_max_position_embeddings");
    return outer ?? parameters.count("original_max_position_embeddings", sizes.maxPositions);
  });
}

/** What earlier versions of `transformers` write; it goes before `rope_parameters`. */
export function oldScaling(config: ConfigReader): ConfigReader | null {
  const scaling = config.object("rope_scaling");
  return Object.keys(scaling.raw).length > 0 ? scaling : null;
}

/** State a scaling so that earlier versions of `transformers` read it in exports. */
export function keepOldForm(config: ConfigReader, parameters: ConfigReader): void {
  const { rope_theta: _, ...scaling } = parameters.raw;
  if ((scaling.rope_type ?? scaling.type ?? "default") !== "default") config.keep("rope_scaling", scaling);
}

/** A rotary embedding from the parameters of one kind of layer. */
export function scaledRope(
  parameters: ConfigReader,
  { headDim, maxPositions }: { readonly headDim: number; readonly maxPositions: number },
  theta: number,
  originalPositions: () => number,
): ReadRope {
  if (headDim % 2 !== 0) throw parameters.invalid(`head_dim ${headDim} is odd; rotary embeddings need an even one`);
  if ((parameters.value("partial_rotary_factor") ?? 1) !== 1) {
    throw parameters.unsupported("partial_rotary_factor", parameters.raw.partial_rotary_factor, ["1"]);
  }
  const typeKey = parameters.raw.rope_type === undefined && parameters.raw.type !== undefined ? "type" : "rope_type";
  const scale = parameters.choice(typeKey, SCALINGS, "default");
  const frequencies = Array.from({ length: headDim / 2 }, (_, i) => theta ** (-i / (headDim / 2)));
  const scaled = scale({ headDim, theta, maxPositions, frequencies }, parameters, originalPositions);
  return { inverseFrequencies: frequencies, magnitude: 1, maxPositions, ...scaled };
}
