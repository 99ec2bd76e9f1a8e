/**
 * Settings of rollout correction (`algorithm.rollout_correction`) and the thresholds written in them.
 */
import { errors } from "../errors.js";

export interface RolloutCorrectionConfig {
  /** Importance weights per token, per sequence, or none. */
  readonly rolloutIs: "token" | "sequence" | null;
  /** `U`: truncate at U. `"L_U"`: IcePop, weights outside [L, U] become 0. */
  readonly rolloutIsThreshold: number | string;
  readonly rolloutIsBatchNormalize: boolean;
  /** Comma list of rejection options, all of which must pass; null: no rejection. */
  readonly rolloutRs: string | null;
  /** Comma list of thresholds, one for all options or one each. */
  readonly rolloutRsThreshold: number | string | null;
  /** Two policies: the rollout's log-probabilities stand for the old policy's. */
  readonly bypassMode: boolean;
  /** Bypass mode only. */
  readonly lossType: "ppo_clip" | "reinforce";
  /** Rejected tokens and sequences stay in the loss's denominators, as in the reference; default false. */
  readonly countRejectedTokens: boolean;
}

/** The defaults; everything off, so that only metrics are computed. */
export const ROLLOUT_CORRECTION_OFF: RolloutCorrectionConfig = {
  rolloutIs: null,
  rolloutIsThreshold: 2,
  rolloutIsBatchNormalize: false,
  rolloutRs: null,
  rolloutRsThreshold: null,
  bypassMode: false,
  lossType: "ppo_clip",
  countRejectedTokens: false,
};

/** Setting of each configuration key. */
export const ROLLOUT_CORRECTION_KEYS: Readonly<Record<string, keyof RolloutCorrectionConfig>> = {
  rollout_is: "rolloutIs",
  rollout_is_threshold: "rolloutIsThreshold",
  rollout_is_batch_normalize: "rolloutIsBatchNormalize",
  rollout_rs: "rolloutRs",
  rollout_rs_threshold: "rolloutRsThreshold",
  bypass_mode: "bypassMode",
  loss_type: "lossType",
  count_rejected_tokens: "countRejectedTokens",
};

/** From the configuration's section, checked; absent keys have their defaults. */
export function rolloutCorrectionConfig(section: Readonly<Record<string, unknown>>): RolloutCorrectionConfig {
  const given = Object.entries(ROLLOUT_CORRECTION_KEYS).filter(([key]) => section[key] !== undefined);
  const config: RolloutCorrectionConfig = {
    ...ROLLOUT_CORRECTION_OFF,
    ...Object.fromEntries(given.map(([key, name]) => [name, section[key]])),
  };
  oneOf("rollout_is", config.rolloutIs, ["token", "sequence", null]);
  oneOf("loss_type", config.lossType, ["ppo_clip", "reinforce"]);
  if (config.rolloutIs !== null) parseIsThreshold(config.rolloutIsThreshold);
  if (config.rolloutRs !== null) parseRsThresholds(parseRejectionOptions(config.rolloutRs), config.rolloutRsThreshold);
  return config;
}

function oneOf(key: string, value: unknown, known: readonly (string | null)[]): void {
  if (known.includes(value as string | null)) return;
  throw errors.VERL_ALGORITHMS_UNKNOWN_NAME({
    what: `rollout_correction.${key} is ${JSON.stringify(value)}`,
    why: `known: ${known.join(", ")}`,
  });
}

export const REJECTION_OPTIONS = [
  "token_k1",
  "token_k2",
  "token_k3",
  "seq_sum_k1",
  "seq_sum_k2",
  "seq_sum_k3",
  "seq_mean_k1",
  "seq_mean_k2",
  "seq_mean_k3",
  "seq_max_k2",
  "seq_max_k3",
] as const;
export type RejectionOption = (typeof REJECTION_OPTIONS)[number];

export interface Threshold {
  readonly lower: number | null;
  readonly upper: number;
}

/** `2`, `"2.5"` → truncation; `"0.5_5.0"` → IcePop bounds. */
export function parseIsThreshold(spec: unknown): Threshold {
  const bad = (why: string) => badThreshold("rollout_is_threshold", spec, why);
  if (typeof spec !== "number" && typeof spec !== "string") throw bad("a number or a text like 0.5_5.0 is expected");
  const [first, second] = splitOnce(String(spec));
  if (second === undefined) return { lower: null, upper: positive(first, bad) };
  const [lower, upper] = [positive(first, bad), positive(second, bad)];
  if (lower > upper) throw bad("the lower bound is above the upper one");
  return { lower, upper };
}

/** Options of a comma list without duplicates. */
export function parseRejectionOptions(spec: string | null): RejectionOption[] {
  const names = [...new Set((spec ?? "").split(",").map((s) => s.trim()))].filter((s) => s !== "");
  if (names.length === 0) {
    throw errors.VERL_ALGORITHMS_BAD_VALUE({
      what: "rollout_correction.rollout_rs is empty",
      why: `known: ${REJECTION_OPTIONS.join(", ")}`,
    });
  }
  for (const name of names) {
    if (!(REJECTION_OPTIONS as readonly string[]).includes(name)) {
      throw errors.VERL_ALGORITHMS_UNKNOWN_NAME({
        what: `rollout_correction.rollout_rs names "${name}", which is no option`,
        why: `known: ${REJECTION_OPTIONS.join(", ")}`,
      });
    }
  }
  return names as RejectionOption[];
}

/**
 * Thresholds by option. `*_k1` takes bounds of the ratio, `"lower_upper"` or one number U ≥ 1 for `1/U_U`; the others
 * take one upper bound of the statistic.
 */
export function parseRsThresholds(
  options: readonly RejectionOption[],
  spec: unknown,
): Partial<Record<RejectionOption, Threshold>> {
  const bad = (why: string) => badThreshold("rollout_rs_threshold", spec, why);
  if (typeof spec !== "number" && (typeof spec !== "string" || spec.trim() === "")) {
    throw bad("rejection needs a threshold for every option");
  }
  const parts = String(spec)
    .split(",")
    .map((s) => s.trim());
  if (parts.length !== 1 && parts.length !== options.length) {
    throw bad(`${parts.length} thresholds for ${options.length} options; give one for all or one each`);
  }
  return Object.fromEntries(
    options.map((option, i) => {
      const [first, second] = splitOnce(parts.length === 1 ? parts[0] : parts[i]);
      if (!option.endsWith("_k1")) {
        if (second !== undefined) throw bad(`${option} takes one upper bound`);
        return [option, { lower: null, upper: positive(first, bad) }];
      }
      const upper = positive(second ?? first, bad);
      const lower = second === undefined ? 1 / upper : positive(first, bad);
      if (lower > upper) throw bad(`the lower bound of ${option} is above the upper one`);
      return [option, { lower, upper }];
    }),
  );
}

function splitOnce(text: string): readonly [string, string | undefined] {
  const at = text.indexOf("_");
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

function positive(text: string, bad: (why: string) => Error): number {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (!(value > 0) || !Number.isFinite(value)) throw bad(`"${text}" is not a positive number`);
  return value;
}

function badThreshold(key: string, spec: unknown, why: string): Error {
  return errors.VERL_ALGORITHMS_BAD_VALUE({
    what: `rollout_correction.${key} is ${JSON.stringify(spec ?? null)}`,
    why,
  });
}
