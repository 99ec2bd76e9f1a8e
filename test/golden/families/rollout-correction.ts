import {
  parseIsThreshold,
  parseRsThresholds,
  type RejectionOption,
  ROLLOUT_CORRECTION_KEYS,
  rolloutCorrectionConfig,
} from "../../../core/algorithms/rollout-correction/config.js";
import { correctRollout } from "../../../core/algorithms/rollout-correction/correct.js";
import { probabilityDrift } from "../../../core/algorithms/rollout-correction/off-policy-metrics.js";
import { rolloutCorrectionPreset } from "../../../core/algorithms/rollout-correction/presets.js";
import { rejectionMask } from "../../../core/algorithms/rollout-correction/rejection.js";
import { importanceWeights } from "../../../core/algorithms/rollout-correction/weights.js";
import { type Family, rowOffsets } from "../case.js";

export const rolloutCorrectionFamily: Family = {
  parse_is_threshold: (c) => ({ outputs: { ...parseIsThreshold(c.input("spec")) } }),

  parse_rs_threshold: (c) => ({
    outputs: { thresholds: parseRsThresholds(c.input<RejectionOption[]>("options"), c.input("spec")) },
  }),

  is_weights(c) {
    const mask = c.tensor("response_mask");
    if (!mask.data.some((m) => m)) throw new Error("no token counts");
    const { weights, metrics } = importanceWeights(
      c.data("log_ratio"),
      mask.data,
      rowOffsets(mask),
      rolloutCorrectionConfig(c.params),
    );
    return { outputs: { rollout_is_weights: weights }, metrics };
  },

  rejection_mask(c) {
    const mask = c.tensor("response_mask");
    const { rolloutRs, rolloutRsThreshold } = rolloutCorrectionConfig(c.params);
    const result = rejectionMask(c.data("log_ratio"), mask.data, rowOffsets(mask), rolloutRs, rolloutRsThreshold);
    return { outputs: { modified_response_mask: result.responseMask }, metrics: result.metrics };
  },

  rollout_correction(c) {
    const mask = c.tensor("response_mask");
    const pair = {
      logProb: c.data("old_log_prob"),
      rolloutLogProb: c.data("rollout_log_prob"),
      responseMask: mask.data,
      responseOffsets: rowOffsets(mask),
    };
    const { weights, responseMask, metrics } = correctRollout(pair, rolloutCorrectionConfig(c.params));
    return { outputs: { rollout_is_weights: weights, modified_response_mask: responseMask }, metrics };
  },

  preset(c) {
    const { threshold, is_threshold = threshold, rs_threshold } = c.param<Record<string, number | string>>("args", {});
    const config = rolloutCorrectionPreset(c.param("name"), {
      ...(is_threshold === undefined ? {} : { rolloutIsThreshold: is_threshold }),
      ...(rs_threshold === undefined ? {} : { rolloutRsThreshold: rs_threshold }),
    });
    return {
      outputs: Object.fromEntries(Object.entries(ROLLOUT_CORRECTION_KEYS).map(([key, name]) => [key, config[name]])),
    };
  },

  rollout_prob_diff: (c) => ({
    metrics: probabilityDrift({
      logProb: c.data("old_log_probs"),
      rolloutLogProb: c.data("rollout_log_probs"),
      responseMask: c.data("response_mask"),
    }),
  }),
};
