import type { LossAggMode } from "../../../core/algorithms/advantage.js";
import type { LossFunction } from "../../../core/algorithms/algebra.js";
import { addRowGradient, rowStatistics } from "../../../core/algorithms/logits.js";
import { actorLoss } from "../../../core/algorithms/losses/actor.js";
import { distillationLoss, distillationTotalLoss } from "../../../core/algorithms/losses/distillation.js";
import { topkMetrics, topkTerms } from "../../../core/algorithms/losses/topk-distillation.js";
import { vanillaLoss } from "../../../core/algorithms/losses/vanilla.js";
import type { Family, GoldenCase, Outcome, Tensor } from "../case.js";
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
    const positions = c.data("upstream").map((_, t) => position(c, t));
    const of = (name: string) => positions.map(({ result }) => result.metrics[name].value);
    return {
      outputs: {
        distillation_losses: of("divergence"),
        student_mass: of("studentMass"),
        teacher_mass: of("teacherMass"),
        overlap_count: of("count"),
        overlap_token_advantage: of("advantage"),
      },
      grad: { student_logits: positions.flatMap(({ gradient }) => [...gradient]) },
    };
  },

  forward_kl_topk_metrics(c) {
    const names = ["distillation_losses", "student_mass", "teacher_mass", "overlap_count", "overlap_token_advantage"];
    const result = runLoss(
      {
        build(g) {
          const [losses, studentMass, teacherMass, count, advantage] = names.map((name) => g.column(name));
          const terms = { divergence: losses, studentMass, teacherMass, overlap: { count, advantage } };
          return { loss: g.constant(0), metrics: topkMetrics(g, terms, c.param("topk")) };
        },
      },
      {
        outputs: {},
        columns: Object.fromEntries(names.map((name) => [name, c.tensor(name)])),
        mask: c.tensor("response_mask"),
      },
    );
    const floored = c.data("distillation_losses").map((x) => Math.max(x, 0));
    return { outputs: { distillation_losses: floored }, metrics: metricsOf(c, result) };
  },
};

/** One position of the top-k divergence, and the gradient of `upstream` times it with respect to the logits. */
function position(c: GoldenCase, t: number) {
  const [logits, topk] = [c.tensor("student_logits"), c.param<number>("topk")];
  const vocab = logits.shape[logits.shape.length - 1];
  const choice = (name: string) => c.data(name).slice(t * topk, (t + 1) * topk);
  const [ids, teacher] = [choice("teacher_topk_ids"), choice("teacher_topk_log_probs")];
  const upstream = c.data("upstream")[t];
  const statistics = rowStatistics(logits.data, vocab, t, 0);
  const own = new Set([...statistics.logProbs.keys()].sort((a, b) => logProb(b) - logProb(a) || a - b).slice(0, topk));
  function logProb(id: number): number {
    return statistics.logProbs[id];
  }
  const one = (x: number): Tensor => ({ dtype: "float64", shape: [1, 1], data: [x] });
  const named = (prefix: string, of: (k: number) => number) =>
    Object.fromEntries(ids.map((_, k) => [`${prefix}${k}`, one(of(k))]));
  const options = { topk, logProbMinClamp: c.param<number | null>("log_prob_min_clamp", null), hasOverlap: true };
  const result = runLoss(
    {
      build(g) {
        const { overlap, ...terms } = topkTerms(g, options);
        const metrics = Object.entries({ ...terms, ...overlap }).map(([name, value]) => [
          name,
          { value: g.sum(value), reduction: "mean" as const },
        ]);
        return { loss: g.sum(terms.divergence), metrics: Object.fromEntries(metrics) };
      },
    },
    {
      outputs: named("logProbAtId", (k) => logProb(ids[k])),
      columns: {
        ...named("teacherLogProb", (k) => teacher[k]),
        ...named("ownTopHasId", (k) => Number(own.has(ids[k]))),
      },
      mask: one(1),
    },
  );
  const gradient = new Float64Array(vocab);
  ids.forEach((id, k) => {
    const logProbGradient = upstream * (result.gradients[`logProbAtId${k}`]?.[0] ?? 0);
    addRowGradient(gradient, 0, id, statistics, { logProb: logProbGradient });
  });
  return { result, gradient };
}

function dropAbsent(metrics: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return Object.fromEntries(Object.entries(metrics).filter(([, value]) => value !== undefined));
}
