import { klEstimate, klPenalty } from "../../../core/algorithms/kl.js";
import { createKlController, type KlControllerConfig } from "../../../core/algorithms/kl-controller.js";
import { applyKlPenalty, subtractKl } from "../../../core/algorithms/rewards-kl.js";
import { type Family, rowOffsets } from "../case.js";
import { runValue } from "./loss-case.js";

function controller(params: Record<string, unknown>) {
  const number = (key: string, fallback: number) => (typeof params[key] === "number" ? params[key] : fallback);
  return createKlController({
    type: params.type as KlControllerConfig["type"],
    klCoef: number("kl_coef", 0.001),
    targetKl: number("target_kl", 0.1),
    horizon: number("horizon", 10000),
  });
}

export const klFamily: Family = {
  kl_penalty(c) {
    const name = c.param<string>("kl_penalty");
    if (c.expectsError) return { outputs: { kld: klEstimate(name, -1, -2) } };
    const [logProb, ref] = [c.tensor("logprob"), c.tensor("ref_logprob")];
    const mask = { ...logProb, data: logProb.data.map(() => 1) };
    const kld = logProb.data.map((lp, i) => klEstimate(name, lp, ref.data[i]));
    const result = runValue((g) => klPenalty(g, name, g.output("logProb"), g.column("ref")), c.tensor("upstream"), {
      outputs: { logProb },
      columns: { ref },
      mask,
    });
    const upstream = c.data("upstream");
    const drift = Math.abs(result.loss - kld.reduce((sum, k, i) => sum + k * upstream[i], 0));
    return {
      outputs: { kld },
      grad: { logprob: result.gradients.logProb },
      checked: { "algebra and plain value": drift < 1e-6 ? null : `differ by ${drift}` },
    };
  },

  kl_controller(c) {
    const kl = controller(c.params);
    const values = [kl.value];
    for (const { current_kl, n_steps } of c.input<{ current_kl: number; n_steps: number }[]>("updates") ?? []) {
      kl.update(current_kl, n_steps);
      values.push(kl.value);
    }
    return { outputs: { values } };
  },

  apply_kl_penalty(c) {
    const mask = c.tensor("response_mask");
    const kl = controller(c.param("controller"));
    const { tokenLevelRewards, metrics } = applyKlPenalty(
      {
        tokenLevelScores: c.data("token_level_scores"),
        oldLogProb: c.data("old_log_probs"),
        refLogProb: c.data("ref_log_prob"),
        responseMask: mask.data,
        responseOffsets: rowOffsets(mask),
      },
      kl,
      c.param("kl_penalty"),
    );
    return { outputs: { token_level_rewards: tokenLevelRewards, kl_coef_after: kl.value }, metrics };
  },

  compute_rewards(c) {
    const rewards = subtractKl(
      {
        tokenLevelScores: c.data("token_level_scores"),
        oldLogProb: c.data("old_log_prob"),
        refLogProb: c.data("ref_log_prob"),
      },
      c.param("kl_ratio"),
    );
    return { outputs: { token_level_rewards: rewards } };
  },
};
