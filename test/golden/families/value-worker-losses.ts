import type { LossAggMode } from "../../../core/algorithms/advantage.js";
import { actorLoss } from "../../../core/algorithms/losses/actor.js";
import { sftLoss } from "../../../core/algorithms/losses/sft.js";
import { valueLoss } from "../../../core/algorithms/losses/value.js";
import type { Family, GoldenCase, Tensor } from "../case.js";
import { countsFrom, metricsOf, metricValues, reductionOf, runAny, runLoss } from "./loss-case.js";
import { policyLossOf } from "./policy-loss.js";

function critic(c: GoldenCase, prefix: string) {
  const mode = c.param<LossAggMode>("loss_agg_mode", "token-mean");
  const { dp_size, batch_num_tokens, global_batch_size } = c.params;
  const result = runLoss(
    valueLoss({
      clipRange: c.param("cliprange_value"),
      lossAggMode: mode,
      lossReduction: reductionOf(dp_size, batch_num_tokens, global_batch_size),
    }),
    {
      outputs: { values: c.tensor("vpreds") },
      columns: { oldValues: c.tensor("values"), returns: c.tensor("returns") },
      mask: c.tensor("response_mask"),
      counts: countsFrom(c.params, mode),
    },
  );
  const metrics = prefix
    ? metricsOf(c, result)
    : Object.fromEntries(Object.entries(metricValues(result)).map(([k, v]) => [k.replace("critic/", ""), v]));
  return { outputs: { loss: result.loss }, metrics, grad: { vpreds: result.gradients.values } };
}

export const valueLossFamily: Family = { value_loss: (c) => critic(c, "") };

export const workerLossesFamily: Family = {
  actor_loss(c) {
    const config = c.param<Record<string, unknown>>("config", {});
    const mode = (config.loss_agg_mode ?? "token-mean") as LossAggMode;
    const { loss_mode = "vanilla" } = (config.policy_loss ?? {}) as { loss_mode?: string };
    const { dp_size, batch_num_tokens, global_batch_size } = c.params;
    const scale = config.loss_scale_factor;
    const loss = actorLoss({
      policyLoss: policyLossOf(c, loss_mode, config),
      lossAggMode: mode,
      entropyCoeff: (config.entropy_coeff as number | undefined) ?? 0,
      calculateEntropy: true,
      kl: config.use_kl_loss ? { coef: config.kl_loss_coef as number, type: config.kl_loss_type as string } : null,
      lossReduction: reductionOf(dp_size, batch_num_tokens, global_batch_size, scale),
    });
    const result = runAny(loss, {
      outputs: { logProb: c.tensor("log_probs"), entropy: c.tensor("entropy") },
      columns: {
        oldLogProb: c.tensor("old_log_probs"),
        advantages: c.tensor("advantages"),
        refLogProb: c.tensor("ref_log_prob"),
      },
      mask: c.tensor("response_mask"),
      counts: countsFrom({ ...c.params, loss_scale_factor: scale }, mode),
    });
    return {
      outputs: { loss: result.loss },
      metrics: metricsOf(c, result),
      grad: { log_probs: result.gradients.logProb, entropy: result.gradients.entropy },
    };
  },

  critic_loss: (c) => critic(c, "critic/"),

  sft_loss(c) {
    const logProb = c.tensor("log_probs");
    // Packed rows score the next token of the flat stream, so the mask moves one to the left.
    const packed = c.param("packed", false);
    const flat = (t: Tensor): Tensor => ({ ...t, shape: [1, t.data.length] });
    const mask = packed ? c.tensor("loss_mask") : c.tensor("response_mask");
    const rolled = packed ? { ...flat(mask), data: [...mask.data.slice(1), mask.data[0]] } : mask;
    const result = runLoss(sftLoss(), {
      outputs: { logProb: packed ? flat(logProb) : logProb },
      mask: rolled,
      counts: countsFrom(c.params, "token-mean"),
    });
    return { outputs: { loss: result.loss }, grad: { log_probs: result.gradients.logProb } };
  },
};
