import type { AnyLoss, LossGradients } from "../../../core/algorithms/algebra.js";
import { builtinPolicyLosses } from "../../../core/algorithms/index.js";
import { type Choose, clipCovCandidates, clipCovLoss } from "../../../core/algorithms/losses/clip-cov.js";
import { selectionSize } from "../../../core/algorithms/losses/covariance.js";
import { klCovLoss, largestCovariances } from "../../../core/algorithms/losses/kl-cov.js";
import type { TapeResult } from "../../../core/algorithms/tape.js";
import type { Family, GoldenCase, Handler, Outcome } from "../case.js";
import { countsFrom, type LossShape, lossInput, metricValues, policyConfig, runAny } from "./loss-case.js";

export function findPolicyLoss(name: string) {
  const factory = builtinPolicyLosses.find((loss) => loss.name === name);
  if (!factory) throw new Error(`no policy loss "${name}"`);
  return factory;
}

/** A registered policy loss under the case's settings, as the reference computes it. */
export function policyLossOf(c: GoldenCase, name: string, config: Record<string, unknown>): AnyLoss {
  const settings = policyConfig(c, config);
  return name === "clip_cov" ? clipCovLoss(settings, takeFirst) : findPolicyLoss(name).create(settings);
}

/** Candidates in row-major order, as under the identity permutation of the vectors. */
const takeFirst: Choose = (candidates, n) => candidates.slice(0, n);

function shapeOf(c: GoldenCase): LossShape {
  return {
    outputs: { logProb: c.tensor("log_prob") },
    columns: {
      oldLogProb: c.tensor("old_log_prob"),
      advantages: c.tensor("advantages"),
      rolloutIsWeights: c.optionalData("rollout_is_weights") && c.tensor("rollout_is_weights"),
    },
    mask: c.tensor("response_mask"),
    counts: countsFrom(c.param("global_batch_info", {}), c.param("loss_agg_mode", "token-mean")),
  };
}

/** Loss, metrics and gradient of a registered policy loss. */
function run(c: GoldenCase): Outcome {
  return outcomeOf(runAny(policyLossOf(c, c.fn, c.param("config", {})), shapeOf(c)));
}

function outcomeOf(result: TapeResult | LossGradients): Outcome {
  return {
    outputs: { loss: result.loss },
    metrics: metricValues(result),
    grad: { log_prob: result.gradients.logProb },
  };
}

const clipCov: Handler = (c) => {
  const config = policyConfig(c, c.param("config", {}));
  const loss = clipCovLoss(config, takeFirst);
  const input = lossInput(shapeOf(c));
  const bound = (key: string, fallback: number) => (config.extra[key] as number | undefined) ?? fallback;
  const candidates = clipCovCandidates(input, config, bound("clip_cov_lb", 1), bound("clip_cov_ub", 5));
  const count = Math.min(candidates.length, selectionSize(input, bound("clip_cov_ratio", 0.0002)));
  const outcome = outcomeOf(loss.compute(input));
  const flags = Array.from(input.responseMask, (_, r) => Number(candidates.includes(r)));
  return { ...outcome, outputs: { ...outcome.outputs, zeroed_candidates: flags, num_selected: count } };
};

const klCov: Handler = (c) => {
  const config = policyConfig(c, c.param("config", {}));
  const loss = klCovLoss(config);
  const input = lossInput(shapeOf(c));
  const selected = largestCovariances(input, (config.extra.kl_cov_ratio as number | undefined) ?? 0.0002);
  const outcome = outcomeOf(loss.compute(input));
  return { ...outcome, outputs: { ...outcome.outputs, selected, num_selected: selected.reduce((a, b) => a + b, 0) } };
};

/** Local counts of the reference are taken after rejection; given ones include rejected tokens. */
const bypassMode: Handler = (c) => {
  const given = Object.keys(c.param<object>("global_batch_info", {})).length > 0;
  const section = { ...c.param<object>("rollout_correction", {}), count_rejected_tokens: given };
  const base = policyConfig(c, c.param("config", {}));
  const extra = { ...base.extra, rollout_correction: section };
  return outcomeOf(runAny(findPolicyLoss("bypass_mode").create({ ...base, extra }), shapeOf(c)));
};

const special: Family = { clip_cov: clipCov, kl_cov: klCov, bypass_mode: bypassMode };

/** A name that is not registered is refused. */
const unknown = (c: GoldenCase): Outcome => {
  findPolicyLoss(c.param("loss_mode"));
  return {};
};

export const policyLossFamily = (name: string): Family => ({ [name]: special[name] ?? run, unknown });

export const bypassFamily: Family = { ...policyLossFamily("bypass_mode"), ...policyLossFamily("reinforce") };
