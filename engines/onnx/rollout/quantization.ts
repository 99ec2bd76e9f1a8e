import type { ParameterRole } from "../../../core/formats/index.js";
import { type RolloutOptions, rolloutErrors } from "../../../core/plugin.js";

/** Values of `rollout.quantization` that this server knows. */
export const QUANTIZATIONS = ["int8", "int4"] as const;
export type Quantization = (typeof QUANTIZATIONS)[number];

export type WeightBits = 8 | 4;

/**
 * Bits of the matrices by what they are for; the rest stays float32. The head keeps 8: what is lost there goes straight into the
 * log-probabilities, and it is one matrix of many.
 */
export const WEIGHT_BITS: Readonly<Record<Quantization, Partial<Record<ParameterRole, WeightBits>>>> = {
  int8: { linear: 8, residual: 8, head: 8 },
  int4: { linear: 4, residual: 4, head: 8 },
};

/** The value of `rollout.quantization`; null: weights as trained. @throws VERL_ROLLOUT_NO_QUANTIZATION */
export function parseQuantization(value: RolloutOptions["quantization"]): Quantization | null {
  if (value === undefined || value === null) return null;
  const known = QUANTIZATIONS.find((name) => name === value);
  if (known) return known;
  throw rolloutErrors.VERL_ROLLOUT_NO_QUANTIZATION({
    what: `The server onnx cannot round its weights to ${JSON.stringify(value)}`,
    why: `It knows ${QUANTIZATIONS.join(" and ")}.`,
  });
}
