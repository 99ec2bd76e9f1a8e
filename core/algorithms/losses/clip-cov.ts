/**
 * `clip_cov`: entropy-preserving clip by covariance (2505.22617). A few random tokens of high covariance between
 * advantage and log-probability are taken out of the update.
 *
 *   L = max(−A·r, −A·clip(r, 1−lo, 1+hi)) · keep,   r = exp(d)
 *   candidates: valid, not already clipped, lb < cov < ub;   k = max(1, ⌊clip_cov_ratio · valid tokens⌋)
 *
 * Covariance and k are those of the mini-batch. (The reference takes them per micro-batch, where k ≥ 1 drops a larger
 * share than the ratio says.) pg_clipfrac is the share of valid tokens dropped by this rule.
 */
import { hashText, uniformAt } from "../../data/random.js";
import type { PolicyLossConfig, PolicyLossFactory } from "../advantage.js";
import type { LossInput, OpaqueLoss } from "../algebra.js";
import { columnOf, outputOf, positiveRatio, selectionSize, selectiveLoss, tokenCovariance } from "./covariance.js";
import { finiteExp, meanMetric, policyInputs, policyShare, setting } from "./policy-terms.js";

/** Picks `count` of the candidate tokens. */
export type Choose = (candidates: readonly number[], count: number, input: LossInput) => readonly number[];

export function clipCovLoss(config: PolicyLossConfig, choose: Choose = chooseAtRandom): OpaqueLoss {
  const ratio = positiveRatio("clip_cov_ratio", setting(config, "clip_cov_ratio", 0.0002));
  const lower = setting(config, "clip_cov_lb", 1);
  const upper = setting(config, "clip_cov_ub", 5);
  const select = (input: LossInput) => {
    const candidates = clipCovCandidates(input, config, lower, upper);
    const dropped = new Float64Array(input.responseMask.length);
    for (const r of choose(candidates, Math.min(selectionSize(input, ratio), candidates.length), input)) dropped[r] = 1;
    return dropped;
  };
  return selectiveLoss("clip_cov", select, (g) => {
    const { advantages, difference } = policyInputs(g);
    const dropped = g.column("selected");
    const ratio_R = finiteExp(g, difference);
    const cost = g.neg(advantages);
    const clipped = g.clamp(ratio_R, 1 - config.clipRatioLow, 1 + config.clipRatioHigh);
    const loss = g.maximum(g.mul(cost, ratio_R), g.mul(cost, clipped));
    return {
      loss: policyShare(g, g.where(dropped, g.constant(0), loss), config),
      metrics: {
        "actor/pg_clipfrac": meanMetric(g, dropped),
        "actor/ppo_kl": meanMetric(g, g.neg(difference)),
      },
    };
  });
}

/** Valid tokens that PPO would not clip and whose covariance lies strictly between the bounds. */
export function clipCovCandidates(
  input: LossInput,
  config: PolicyLossConfig,
  lower: number,
  upper: number,
): readonly number[] {
  const [logProb, old] = [outputOf(input, "logProb"), columnOf(input, "oldLogProb")];
  const advantages = columnOf(input, "advantages");
  const covariance_R = tokenCovariance(input);
  const candidates: number[] = [];
  for (let r = 0; r < covariance_R.length; r++) {
    if (!input.responseMask[r] || !(covariance_R[r] > lower && covariance_R[r] < upper)) continue;
    const ratio = Math.exp(logProb[r] - old[r]);
    const clipped = Math.max(Math.min(ratio, 1 + config.clipRatioHigh), 1 - config.clipRatioLow);
    if (!(-advantages[r] * clipped > -advantages[r] * ratio)) candidates.push(r);
  }
  return candidates;
}

/** Uniformly at random, keyed by the batch's contents: the same batch gives the same tokens, in any process. */
function chooseAtRandom(candidates: readonly number[], count: number, input: LossInput): readonly number[] {
  const old = columnOf(input, "oldLogProb");
  const first: number[] = [];
  for (let r = 0; r < old.length && first.length < 64; r++) if (input.responseMask[r]) first.push(old[r]);
  const key = hashText(first.join());
  // The first steps of a Fisher–Yates shuffle.
  const order = Int32Array.from(candidates);
  for (let i = 0; i < count; i++) {
    const j = i + Math.floor(uniformAt(key, "clip_cov", i) * (order.length - i));
    [order[i], order[j]] = [order[j], order[i]];
  }
  return Array.from(order.subarray(0, count));
}

export const clipCov: PolicyLossFactory = { name: "clip_cov", create: (config) => clipCovLoss(config) };
