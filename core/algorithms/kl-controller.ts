/**
 * Coefficient β of the KL penalty in the reward.
 *
 *   fixed     β = kl_coef
 *   adaptive  e = clip(currentKl/target − 1, ±0.2),  β ← β·(1 + e·nSteps/horizon)   (Ziegler et al., 1909.08593)
 */
import { errors } from "./errors.js";

export interface KlControllerConfig {
  readonly type: "fixed" | "adaptive";
  readonly klCoef: number;
  readonly targetKl: number;
  readonly horizon: number;
}

export interface KlController {
  /** β for the next step. */
  readonly value: number;
  /** Feed the KL that this step measured; `nSteps` is the number of rows behind it. */
  update(currentKl: number, nSteps: number): void;
  /** Part of a checkpoint. */
  state(): KlControllerState;
  restore(state: KlControllerState): void;
}

export interface KlControllerState {
  readonly value: number;
}

export function createKlController(config: KlControllerConfig): KlController {
  const { type, klCoef, targetKl, horizon } = config;
  if (type !== "fixed" && type !== "adaptive") {
    throw errors.VERL_ALGORITHMS_UNKNOWN_NAME({
      what: `there is no KL controller "${type}"`,
      why: "known: fixed, adaptive",
    });
  }
  if (type === "adaptive" && !(horizon > 0 && targetKl > 0)) {
    throw errors.VERL_ALGORITHMS_BAD_VALUE({
      what: `the adaptive KL controller has horizon ${horizon} and target_kl ${targetKl}`,
      why: "both must be positive",
    });
  }
  let value = klCoef;
  return {
    get value() {
      return value;
    },
    update(currentKl, nSteps) {
      if (type === "fixed") return;
      const error = Math.max(Math.min(currentKl / targetKl - 1, 0.2), -0.2);
      value *= 1 + (error * nSteps) / horizon;
    },
    state: () => ({ value }),
    restore(state) {
      value = state.value;
    },
  };
}
