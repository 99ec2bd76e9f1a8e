/** Terms and metrics that the policy losses share. */
import type { PolicyLossConfig } from "../advantage.js";
import { aggLoss } from "../agg-loss.js";
import type { LossAlgebra, LossFunction, LossMetric, LossTerms, Value } from "../algebra.js";
import { errors } from "../errors.js";
import { maskedMean } from "../masked-algebra.js";

/** The inputs of a policy loss, [R] each. All but `logProb` are constants for differentiation. */
export interface PolicyInputs {
  readonly logProb: Value;
  readonly oldLogProb: Value;
  readonly advantages: Value;
  /** d = logProb − oldLogProb. */
  readonly difference: Value;
}

export function policyInputs(g: LossAlgebra): PolicyInputs {
  const logProb = g.output("logProb");
  const oldLogProb = g.column("oldLogProb");
  return { logProb, oldLogProb, advantages: g.column("advantages"), difference: g.sub(logProb, oldLogProb) };
}

/** The difference clipped to ±20, so that its exponential stays finite; no gradient outside. */
export function safe(g: LossAlgebra, difference_R: Value): Value {
  return g.clamp(difference_R, -20, 20);
}

/** e^x that stays finite in float32; no gradient above 80, where a gradient could not be used either. */
export function finiteExp(g: LossAlgebra, x: Value): Value {
  return g.exp(g.minimum(x, g.constant(80)));
}

/** A mean over the micro-batch's valid tokens, as a metric. */
export function meanMetric(g: LossAlgebra, value_R: Value, mask_R?: Value): LossMetric {
  return { value: maskedMean(g, value_R, mask_R), reduction: "mean" };
}

/** A metric that the reference reports and that is always 0 for this loss. */
export function zeroMetric(g: LossAlgebra): LossMetric {
  return { value: g.constant(0), reduction: "mean" };
}

/** `L·ω` when the batch carries rollout-correction weights, aggregated. */
export function policyShare(g: LossAlgebra, loss_R: Value, config: PolicyLossConfig, mode = config.lossAggMode): Value {
  const weighted = config.hasRolloutIsWeights ? g.mul(loss_R, g.column("rolloutIsWeights")) : loss_R;
  return aggLoss(g, weighted, mode);
}

/** A policy loss over logProb with the usual columns; the key holds every setting. */
export function policyLoss(
  name: string,
  config: PolicyLossConfig,
  build: (g: LossAlgebra) => LossTerms,
  shape: Partial<Pick<LossFunction, "scope" | "columns">> = {},
): LossFunction {
  return {
    kind: "algebra",
    name,
    scope: shape.scope ?? "token",
    outputs: ["logProb"],
    columns: [
      ...(shape.columns ?? ["advantages", "oldLogProb"]),
      ...(config.hasRolloutIsWeights ? ["rolloutIsWeights"] : []),
    ],
    key: `${name}:${JSON.stringify(config)}`,
    build,
  };
}

/** A number from `config.extra`, or its default. */
export function setting(config: PolicyLossConfig, key: string, fallback?: number): number {
  const value = config.extra[key] ?? fallback;
  if (typeof value !== "number" || !Number.isFinite(value)) {
    throw errors.VERL_ALGORITHMS_BAD_VALUE({
      what: `${key} is ${JSON.stringify(value ?? null)}`,
      why: "this policy loss needs a number there",
    });
  }
  return value;
}
