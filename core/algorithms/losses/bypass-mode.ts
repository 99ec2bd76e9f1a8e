/**
 * `bypass_mode`: two policies instead of three. The old policy is the one that sampled (`oldLogProb` holds the rollout's
 * log-probabilities), no extra forward pass is made, and weights and rejection are recomputed from the **current**
 * policy, without gradient (`../rollout-correction`).
 *
 *   ppo_clip    vanilla PPO on the mask without rejected tokens; weights are only reported
 *   reinforce   −A·lp·ω on the same mask
 *
 * A rejected token leaves numerator and denominator, and so does a sequence that loses all its tokens. With
 * `count_rejected_tokens` both stay in the denominators, as in the reference. Statistics are those of the mini-batch.
 */
import type { PolicyLossConfig, PolicyLossFactory } from "../advantage.js";
import type { GlobalCounts, LossInput, MetricReduction, MetricValue, OpaqueLoss } from "../algebra.js";
import { countsOf } from "../counts.js";
import { maskedSum } from "../masked.js";
import { rolloutCorrectionConfig } from "../rollout-correction/config.js";
import { correctRollout } from "../rollout-correction/correct.js";
import { evaluateLoss } from "../tape.js";
import { columnOf, outputOf } from "./covariance.js";
import { reinforceLoss } from "./reinforce.js";
import { vanillaLoss } from "./vanilla.js";

export function bypassModeLoss(config: PolicyLossConfig): OpaqueLoss {
  const settings = rolloutCorrectionConfig((config.extra.rollout_correction ?? {}) as Record<string, unknown>);
  const { lossType } = settings;
  const weighted = lossType === "reinforce" && settings.rolloutIs !== null;
  const inner = { ...config, hasRolloutIsWeights: weighted };
  const loss = lossType === "reinforce" ? reinforceLoss(inner) : vanillaLoss(inner);
  return {
    kind: "opaque",
    name: "bypass_mode",
    scope: "miniBatch",
    outputs: ["logProb"],
    compute(input) {
      const tokens = maskedSum(input.responseMask, input.responseMask);
      if (tokens === 0) return evaluateLoss(loss, withWeights(input, new Float64Array(input.responseMask.length)));
      const pair = {
        logProb: outputOf(input, "logProb"),
        rolloutLogProb: columnOf(input, "oldLogProb"),
        responseMask: input.responseMask,
        responseOffsets: input.responseOffsets,
      };
      const { weights, responseMask, metrics } = correctRollout(pair, settings);
      const counts = settings.countRejectedTokens ? input.counts : countsAfter(input, responseMask);
      const kept: LossInput = { ...input, responseMask, counts };
      const result = evaluateLoss(loss, weighted && weights ? withWeights(kept, weights) : kept);
      return { ...result, metrics: { ...result.metrics, ...reported(metrics, tokens) } };
    },
  };
}

/** The counts of the mini-batch without what this part of it lost. */
function countsAfter({ counts, responseMask, responseOffsets }: LossInput, kept: ArrayLike<number>): GlobalCounts {
  const [before, after] = [responseMask, kept].map((mask) => countsOf({ responseMask: mask, responseOffsets }));
  return {
    ...counts,
    batchNumTokens: counts.batchNumTokens - before.batchNumTokens + after.batchNumTokens,
    globalBatchSize: counts.globalBatchSize - before.globalBatchSize + after.globalBatchSize,
  };
}

function withWeights(input: LossInput, data: Float64Array): LossInput {
  return { ...input, columns: new Map([...input.columns, ["rolloutIsWeights", { extent: "token", data }]]) };
}

function reported(metrics: Readonly<Record<string, number>>, weight: number): Record<string, MetricValue> {
  const reduction = (name: string): MetricReduction =>
    /_max(_deviation)?$/.test(name) ? "max" : name.endsWith("_min") ? "min" : "mean";
  return Object.fromEntries(
    Object.entries(metrics).map(([name, value]) => [name, { value, reduction: reduction(name), weight }]),
  );
}

export const bypassMode: PolicyLossFactory = { name: "bypass_mode", create: bypassModeLoss };
