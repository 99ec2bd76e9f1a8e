import { klPenalty, parseKlPenalty } from "../../../core/algorithms/kl.js";
import { createKlController, type KlControllerConfig } from "../../../core/algorithms/kl-controller.js";
import { applyKlPenalty, subtractKl } from "../../../core/algorithms/rewards-kl.js";
import { tokenValues } from "../../../core/algorithms/tape.js";
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
    if (c.expectsError) {
      parseKlPenalty(name);
      return {};
    }
    const [logProb, ref] = [c.tensor("logprob"), c.tensor("ref_logprob")];
    const mask = { ...logProb, data: logProb.data.map(() => 1) };
    const kld = tokenValues(
      (g) => klPenalty(g, name, g.column("logProb"), g.column("ref")),
      { logProb: logProb.data, ref: ref.data },
      { responseMask: mask.data, responseOffsets: rowOffsets(mask) },
    );
    const result = runValue((g) => klPenalty(g, name, g.output("logProb"), g.column("ref")), c.tensor("upstream"), {
      outputs: { logProb },
      columns: { ref },
      mask,
    });
    return { outputs: { kld }, grad: { logprob: result.gradients.logProb } };
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
