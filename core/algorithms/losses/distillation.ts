/**
 * On-policy distillation: the student's own samples, scored by a teacher's log-probability of the same tokens
 * (Thinking Machines, "On-policy distillation", 2025; GKD, 2306.13649).
 *
 *   D_t = KL estimate of student vs teacher (`kl.ts`), clipped to ±loss_max_clamp
 *   direct             loss = agg(D)
 *   policy gradient    vanilla PPO with advantages −sg(D), so that also estimators without a useful gradient train
 *
 * `k1`, also spelt `kl`, cannot be used directly: its gradient does not depend on the teacher. (The reference refuses only
 * the spelling `k1`; `directKl: "reference"` does the same.)
 */
import type { LossAggMode } from "../advantage.js";
import { aggLoss } from "../agg-loss.js";
import type { LossFunction, LossMetric, LossTerms } from "../algebra.js";
import { errors } from "../errors.js";
import { klPenalty, parseKlPenalty } from "../kl.js";
import { meanMetric } from "./policy-terms.js";
import { clippedSurrogate } from "./vanilla.js";

export interface DistillationOptions {
  /** An estimator of `kl.ts`. */
  readonly lossMode: string;
  readonly lossAggMode: LossAggMode;
  /** Null: no clamp. */
  readonly lossMaxClamp: number | null;
  readonly usePolicyGradient: boolean;
  readonly clipRatioLow: number;
  readonly clipRatioHigh: number;
  readonly directKl?: "refuse" | "reference";
}

export function distillationLoss(options: DistillationOptions): LossFunction {
  const { lossMode, lossAggMode, usePolicyGradient } = options;
  const { estimator, straightThrough } = parseKlPenalty(lossMode);
  const useless = estimator === "k1" || (estimator === "kl" && options.directKl !== "reference");
  if (useless && !straightThrough && !usePolicyGradient) {
    throw errors.VERL_ALGORITHMS_BAD_VALUE({
      what: `distillation_loss.loss_mode is "${lossMode}" without use_policy_gradient`,
      why: "the gradient of k1 does not depend on the teacher",
      fix: "Set use_policy_gradient=true, or choose k2, k3 or abs.",
    });
  }
  return {
    kind: "algebra",
    name: "distillation",
    scope: "token",
    outputs: ["logProb"],
    columns: ["teacherLogProb", ...(usePolicyGradient ? ["oldLogProb"] : [])],
    key: `distillation:${JSON.stringify(options)}`,
    build(g) {
      const logProb = g.output("logProb");
      const estimate = klPenalty(g, lossMode, logProb, g.column("teacherLogProb"));
      const bound = options.lossMaxClamp;
      const clamped = bound === null ? estimate : g.clamp(estimate, -bound, bound);
      const metrics: Record<string, LossMetric> = {
        "distillation/abs_loss": meanMetric(g, g.abs(estimate)),
        "distillation/loss_min": { value: estimate, reduction: "min" },
        "distillation/loss_max": { value: estimate, reduction: "max" },
      };
      if (!usePolicyGradient) return { loss: aggLoss(g, clamped, lossAggMode), metrics };
      const bounds = { lo: options.clipRatioLow, hi: options.clipRatioHigh, c: 3 };
      const difference = g.sub(logProb, g.column("oldLogProb"));
      const surrogate = clippedSurrogate(g, g.neg(g.stopGradient(clamped)), difference, bounds, "distillation");
      return { loss: aggLoss(g, surrogate.loss_R, lossAggMode), metrics: { ...metrics, ...surrogate.metrics } };
    },
  };
}

/**
 * The student's whole loss: with task rewards `actor + coef · distillation`, without them distillation alone (no policy,
 * entropy or KL term, coefficient 1).
 */
export function distillationTotalLoss(
  distillation: LossFunction,
  task: { readonly actor: LossFunction; readonly coef: number } | null,
): LossFunction {
  const unite = <T>(a: readonly T[], b: readonly T[] = []) => [...new Set([...a, ...b])];
  return {
    ...distillation,
    outputs: unite(distillation.outputs, task?.actor.outputs),
    columns: unite(distillation.columns, task?.actor.columns),
    key: `${distillation.key}+${task ? `${task.coef}:${task.actor.key}` : "alone"}`,
    build(g): LossTerms {
      const own = distillation.build(g);
      const metrics: Record<string, LossMetric> = {
        ...own.metrics,
        "distillation/loss": { value: own.loss, reduction: "sum" },
      };
      if (!task) return { loss: own.loss, metrics };
      const actor = task.actor.build(g);
      return {
        loss: g.add(actor.loss, g.mul(g.constant(task.coef), own.loss)),
        metrics: { ...actor.metrics, ...metrics },
      };
    },
  };
}
