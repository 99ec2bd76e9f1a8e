/**
 * On-policy distillation: the student's own samples, scored by a teacher's log-probability of the same tokens
 * (Thinking Machines, "On-policy distillation", 2025; GKD, 2306.13649).
 *
 *   D_t = KL estimate of student vs teacher (`kl.ts`: reverse KL of the student's sample), or with `forward_kl_topk` the
 *         forward KL on the teacher's best tokens (`topk-distillation.ts`); clipped to ±loss_max_clamp
 *   direct             loss = agg(D)
 *   policy gradient    vanilla PPO with advantages −sg(D), so that also estimators without a useful gradient train
 *
 * `k1`, also spelt `kl`, cannot be used directly: its gradient does not depend on the teacher. (The reference refuses only
 * the spelling `k1`; `directKl: "reference"` does the same.)
 */
import type { LossAggMode } from "../advantage.js";
import { aggLoss } from "../agg-loss.js";
import type { LossAlgebra, LossFunction, LossMetric, LossTerms, OutputName, Value } from "../algebra.js";
import { errors } from "../errors.js";
import { klPenalty, parseKlPenalty } from "../kl.js";
import { meanMetric } from "./policy-terms.js";
import { type TopkOptions, topkColumns, topkMetrics, topkOutputs, topkTerms } from "./topk-distillation.js";
import { clippedSurrogate } from "./vanilla.js";

export interface DistillationOptions {
  /** An estimator of `kl.ts`, or `forward_kl_topk`. */
  readonly lossMode: string;
  /** For `forward_kl_topk`. */
  readonly topk?: TopkOptions;
  readonly lossAggMode: LossAggMode;
  /** Null: no clamp. */
  readonly lossMaxClamp: number | null;
  readonly usePolicyGradient: boolean;
  readonly clipRatioLow: number;
  readonly clipRatioHigh: number;
  readonly directKl?: "refuse" | "reference";
}

export function distillationLoss(options: DistillationOptions): LossFunction {
  const { lossAggMode, usePolicyGradient } = options;
  const divergence = divergenceOf(options);
  return {
    kind: "algebra",
    name: "distillation",
    scope: "token",
    outputs: [...new Set([...divergence.outputs, ...(usePolicyGradient ? (["logProb"] as const) : [])])],
    columns: [...divergence.columns, ...(usePolicyGradient ? ["oldLogProb"] : [])],
    key: `distillation:${JSON.stringify(options)}`,
    build(g) {
      const { value_R, metrics: own } = divergence.build(g);
      const bound = options.lossMaxClamp;
      const clamped = bound === null ? value_R : g.clamp(value_R, -bound, bound);
      const metrics: Record<string, LossMetric> = {
        ...own,
        "distillation/loss_min": { value: value_R, reduction: "min" },
        "distillation/loss_max": { value: value_R, reduction: "max" },
      };
      if (!usePolicyGradient) return { loss: aggLoss(g, clamped, lossAggMode), metrics };
      const bounds = { lo: options.clipRatioLow, hi: options.clipRatioHigh, c: 3 };
      const difference = g.sub(g.output("logProb"), g.column("oldLogProb"));
      const surrogate = clippedSurrogate(g, g.neg(g.stopGradient(clamped)), difference, bounds, "distillation");
      return { loss: aggLoss(g, surrogate.loss_R, lossAggMode), metrics: { ...metrics, ...surrogate.metrics } };
    },
  };
}

/** D_t, what it reads, and metrics of its own. */
interface Divergence {
  readonly outputs: readonly OutputName[];
  readonly columns: readonly string[];
  build(g: LossAlgebra): { readonly value_R: Value; readonly metrics: Record<string, LossMetric> };
}

function divergenceOf(options: DistillationOptions): Divergence {
  if (options.lossMode === "forward_kl_topk") return forwardKl(options);
  const { lossMode, directKl, usePolicyGradient } = options;
  const { estimator, straightThrough } = parseKlPenalty(lossMode);
  const useless = estimator === "k1" || (estimator === "kl" && directKl !== "reference");
  if (useless && !straightThrough && !usePolicyGradient) {
    throw errors.VERL_ALGORITHMS_BAD_VALUE({
      what: `distillation_loss.loss_mode is "${lossMode}" without use_policy_gradient`,
      why: "the gradient of k1 does not depend on the teacher",
      fix: "Set use_policy_gradient=true, or choose k2, k3 or abs.",
    });
  }
  return {
    outputs: ["logProb"],
    columns: ["teacherLogProb"],
    build(g) {
      const value_R = klPenalty(g, lossMode, g.output("logProb"), g.column("teacherLogProb"));
      return { value_R, metrics: { "distillation/abs_loss": meanMetric(g, g.abs(value_R)) } };
    },
  };
}

function forwardKl({ topk }: DistillationOptions): Divergence {
  if (!topk || !(topk.topk >= 1)) {
    throw errors.VERL_ALGORITHMS_MISSING_INPUT({
      what: `distillation_loss.topk is ${JSON.stringify(topk?.topk ?? null)}`,
      why: "forward_kl_topk compares the teacher's best tokens, at least one",
    });
  }
  return {
    outputs: topkOutputs(topk),
    columns: topkColumns(topk),
    build(g) {
      const terms = topkTerms(g, topk);
      return { value_R: g.maximum(terms.divergence, g.constant(0)), metrics: topkMetrics(g, terms, topk.topk) };
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
