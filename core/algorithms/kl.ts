/**
 * Per-token estimators of KL(policy ‖ reference) from D = logProb − refLogProb of the sampled token
 * (Schulman, "Approximating KL divergence", 2020):
 *
 *   kl, k1           D                                gradient 1
 *   abs              |D|                              sign(D)
 *   mse, k2          D²/2                             D
 *   low_var_kl, k3   clip(e^k − k − 1, ±10),  k = clip(−D, ±20)     1 − e^−D, 0 where clipped
 *   X+               value of X with the gradient of k2 (straight-through): right in expectation, where those of k1
 *                    and k3 are biased; keeps its pull where k3 is clipped
 */
import type { LossAlgebra, Value } from "./algebra.js";
import { errors } from "./errors.js";

export const KL_PENALTIES = ["kl", "k1", "abs", "mse", "k2", "low_var_kl", "k3"] as const;
export type KlEstimator = (typeof KL_PENALTIES)[number];
export type KlPenaltyName = KlEstimator | `${KlEstimator}+`;

/** Checks a configured name. */
export function parseKlPenalty(name: string): { readonly estimator: KlEstimator; readonly straightThrough: boolean } {
  const straightThrough = name.endsWith("+");
  const estimator = (straightThrough ? name.slice(0, -1) : name) as KlEstimator;
  if (!KL_PENALTIES.includes(estimator)) {
    throw errors.VERL_ALGORITHMS_UNKNOWN_NAME({
      what: `there is no KL penalty "${name}"`,
      why: `known: ${KL_PENALTIES.join(", ")}, each also with "+"${name === "full" ? "; the full KL needs the whole vocabulary" : ""}`,
    });
  }
  return { estimator, straightThrough };
}

/** The estimator as a differentiable value, [R]; the "+" forms have the value of their base. */
export function klPenalty(g: LossAlgebra, name: string, logProb_R: Value, refLogProb_R: Value): Value {
  const { estimator, straightThrough } = parseKlPenalty(name);
  const d_R = g.sub(logProb_R, refLogProb_R);
  const k2_R = () => g.mul(g.constant(0.5), g.square(d_R));
  const value_R = () => {
    switch (estimator) {
      case "kl":
      case "k1":
        return d_R;
      case "abs":
        return g.abs(d_R);
      case "mse":
      case "k2":
        return k2_R();
      case "low_var_kl":
      case "k3": {
        const k_R = g.clamp(g.neg(d_R), -20, 20);
        return g.clamp(g.sub(g.sub(g.exp(k_R), k_R), g.constant(1)), -10, 10);
      }
    }
  };
  if (!straightThrough) return value_R();
  const carrier_R = k2_R();
  return g.add(g.sub(carrier_R, g.stopGradient(carrier_R)), g.stopGradient(value_R()));
}
