import type { LossAggMode } from "../../../core/algorithms/advantage.js";
import type { LossFunction } from "../../../core/algorithms/algebra.js";
import { actorLoss } from "../../../core/algorithms/losses/actor.js";
import { distillationLoss, distillationTotalLoss } from "../../../core/algorithms/losses/distillation.js";
import { topkForwardKl, topkMetrics } from "../../../core/algorithms/losses/topk-distillation.js";
import { vanillaLoss } from "../../../core/algorithms/losses/vanilla.js";
import type { Family, GoldenCase, Outcome } from "../case.js";
import { countsFrom, type LossShape, metricsOf, policyConfig, reductionOf, runLoss } from "./loss-case.js";

const modeOf = (c: GoldenCase) => c.param<LossAggMode>("loss_agg_mode", "token-mean");

function studentLoss(c: GoldenCase): LossFunction {
  return distillationLoss({
    lossMode: c.param("loss_mode"),
    lossAggMode: modeOf(c),
    lossMaxClamp: c.param<number | null>("loss_max_clamp", null),
    usePolicyGradient: c.param("use_policy_gradient"),
    clipRatioLow: c.param("clip_ratio_low", 0.2),
    clipRatioHigh: c.param("clip_ratio_high", 0.2),
    directKl: "reference",
  });
}

function shapeOf(c: GoldenCase): LossShape {
  return {
    outputs: { logProb: c.tensor("student_log_probs") },
    columns: {
      teacherLogProb: c.tensor("teacher_log_probs"),
      oldLogProb: c.tensor("old_log_probs"),
      advantages: c.optionalData("advantages") && c.tensor("advantages"),
    },
    mask: c.tensor("response_mask"),
    counts: countsFrom(c.params, modeOf(c)),
  };
}

function outcome(c: GoldenCase, loss: LossFunction): Outcome {
  const result = runLoss(loss, shapeOf(c));
  return {
    outputs: { loss: result.loss },
    metrics: metricsOf(c, result),
    grad: { student_log_probs: result.gradients.logProb },
  };
}

export const distillationFamily: Family = {
  distillation_loss: (c) => outcome(c, studentLoss(c)),

  distillation_config(c) {
    studentLoss(c);
    return {};
  },

  distillation_total_loss(c) {
    const actor = actorLoss({
      policyLoss: vanillaLoss(policyConfig(c, {})),
      lossAggMode: modeOf(c),
      entropyCoeff: 0,
      kl: null,
      lossReduction: reductionOf(c.params.dp_size, c.params.batch_num_tokens, c.params.global_batch_size),
    }) as LossFunction;
    const task = c.param<boolean>("use_task_rewards")
      ? { actor, coef: c.param<number>("distillation_loss_coef") }
      : null;
    const whole = outcome(c, distillationTotalLoss(studentLoss(c), task));
    if (task) return whole;
    // The reference computes the policy loss for its metrics even where it takes no part in the loss.
    const reported = runLoss(actor, shapeOf(c));
    return { ...whole, metrics: { ...metricsOf(c, reported), ...dropAbsent(whole.metrics) } };
  },

  forward_kl_topk_logits(c) {
    const [logits, k] = [c.tensor("student_logits"), c.param<number>("topk")];
    const vocab = logits.shape[logits.shape.length - 1];
    const teacher = { ids: c.data("teacher_topk_ids"), logProbs: c.data("teacher_topk_log_probs"), k };
    const gradients: number[] = [];
    const positions = c.data("upstream").map((upstream, t) => {
      const gradient = new Float64Array(vocab);
      const row = logits.data.slice(t * vocab, (t + 1) * vocab);
      const value = topkForwardKl(row, teacher, t, c.param<number | null>("log_prob_min_clamp", null), {
        gradient,
        upstream,
      });
      gradients.push(...gradient);
      return value;
    });
    return {
      outputs: {
        distillation_losses: positions.map((p) => p.loss),
        student_mass: positions.map((p) => p.studentMass),
        teacher_mass: positions.map((p) => p.teacherMass),
        overlap_count: positions.map((p) => p.overlapCount),
        overlap_token_advantage: positions.map((p) => p.overlapTokenAdvantage),
      },
      grad: { student_logits: gradients },
    };
  },

  forward_kl_topk_metrics(c) {
    const [studentMass, teacherMass] = [c.data("student_mass"), c.data("teacher_mass")];
    const [overlapCount, advantage] = [c.data("overlap_count"), c.data("overlap_token_advantage")];
    const positions = c.data("distillation_losses").map((loss, t) => ({
      loss,
      studentMass: studentMass[t],
      teacherMass: teacherMass[t],
      overlapCount: overlapCount[t],
      overlapTokenAdvantage: advantage[t],
    }));
    const { losses, metrics } = topkMetrics(positions, c.data("response_mask"), c.param("topk"));
    return { outputs: { distillation_losses: losses }, metrics: metricsOf(c, { metrics }) };
  },
};

function dropAbsent(metrics: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return Object.fromEntries(Object.entries(metrics).filter(([, value]) => value !== undefined));
}
