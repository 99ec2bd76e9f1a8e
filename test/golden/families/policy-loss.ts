import type { LossFunction } from "../../../core/algorithms/algebra.js";
import { builtinPolicyLosses } from "../../../core/algorithms/index.js";
import type { Family, GoldenCase, Outcome } from "../case.js";
import { countsFrom, metricValues, policyConfig, runLoss } from "./loss-case.js";

export function findPolicyLoss(name: string) {
  const factory = builtinPolicyLosses.find((loss) => loss.name === name);
  if (!factory) throw new Error(`no policy loss "${name}"`);
  return factory;
}

export function policyLossOf(c: GoldenCase, name: string, config: Record<string, unknown>): LossFunction {
  const loss = findPolicyLoss(name).create(policyConfig(c, config));
  if (loss.kind !== "algebra") throw new Error(`"${name}" is not over the algebra`);
  return loss;
}

/** Loss, metrics and gradient of a registered policy loss. */
function run(c: GoldenCase): Outcome {
  const loss = policyLossOf(c, c.fn, c.param("config", {}));
  const result = runLoss(loss, {
    outputs: { logProb: c.tensor("log_prob") },
    columns: {
      oldLogProb: c.tensor("old_log_prob"),
      advantages: c.tensor("advantages"),
      rolloutIsWeights: c.optionalData("rollout_is_weights") && c.tensor("rollout_is_weights"),
    },
    mask: c.tensor("response_mask"),
    counts: countsFrom(c.param("global_batch_info", {}), c.param("loss_agg_mode", "token-mean")),
  });
  return {
    outputs: { loss: result.loss },
    metrics: metricValues(result),
    grad: { log_prob: result.gradients.logProb },
  };
}

/** A name that is not registered is refused. */
const unknown = (c: GoldenCase): Outcome => {
  findPolicyLoss(c.param("loss_mode"));
  return {};
};

export const policyLossFamily = (name: string): Family => ({ [name]: run, unknown });
