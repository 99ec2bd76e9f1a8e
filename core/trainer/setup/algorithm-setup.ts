import {
  ADVANTAGE_NEEDS,
  type AdvantageEstimator,
  type AnyLoss,
  actorLoss,
  createKlController,
  type KlController,
  type OutputName,
  type RolloutCorrectionConfig,
  rolloutCorrectionConfig,
} from "../../algorithms/index.js";
import { criticUsed } from "../../config/index.js";
import type { BaseEngine } from "../../engine/engine.js";
import { trainerErrors } from "../errors.js";
import type { TrainerOptions } from "../trainer.js";

/** What the `algorithm` and `actor` sections amount to, checked before anything heavy starts. */
export interface Algorithm {
  readonly estimator: AdvantageEstimator;
  readonly actorLoss: AnyLoss;
  readonly klController: KlController;
  readonly rolloutCorrection: RolloutCorrectionConfig;
  /** Whether Σπ² is computed with the old log-probabilities. */
  readonly needsSumPiSquared: boolean;
}

export function createAlgorithm({ config, services }: Pick<TrainerOptions, "config" | "services">): Algorithm {
  const { algorithm, actor_rollout_ref } = config;
  const estimator = services.registries.advantageEstimators.require(algorithm.adv_estimator);
  const rolloutCorrection = rolloutCorrectionConfig(algorithm.rollout_correction);
  const needsSumPiSquared =
    actor_rollout_ref.actor.calculate_sum_pi_squared || estimator.needs.includes("sumPiSquared");
  refuseUnmetNeeds(estimator, {
    bypass: rolloutCorrection.bypassMode,
    critic: criticUsed(config),
    needsSumPiSquared,
  });
  return {
    estimator,
    actorLoss: createActorLoss({ config, services }, rolloutCorrection),
    klController: createKlController({
      type: algorithm.kl_ctrl.type,
      klCoef: algorithm.kl_ctrl.kl_coef,
      targetKl: algorithm.kl_ctrl.target_kl,
      horizon: algorithm.kl_ctrl.horizon,
    }),
    rolloutCorrection,
    needsSumPiSquared,
  };
}

/** Everything that the step asks of the actor is among its outputs. */
export function checkOutputs(
  engine: Pick<BaseEngine, "capabilities">,
  { actorLoss: loss, needsSumPiSquared }: Algorithm,
): void {
  const { outputs } = engine.capabilities;
  const wanted: readonly OutputName[] = [
    ...loss.outputs,
    "logProb",
    "entropy",
    ...(needsSumPiSquared ? (["sumPiSquared"] as const) : []),
  ];
  const missing = [...new Set(wanted)].filter((name) => !outputs.includes(name));
  if (missing.length === 0) return;
  throw trainerErrors.VERL_TRAINER_ENGINE_UNFIT({
    what: `this run needs ${missing.join(", ")} of the engine, which gives ${outputs.join(", ")}`,
    fix: "choose another engine (actor_rollout_ref.actor.strategy), estimator or policy loss",
  });
}

function refuseUnmetNeeds(
  { name, needs }: AdvantageEstimator,
  run: { readonly bypass: boolean; readonly critic: boolean; readonly needsSumPiSquared: boolean },
): void {
  const refuse = (why: string) =>
    trainerErrors.VERL_TRAINER_NEEDS_UNMET({ what: `the estimator ${name} cannot be used in this run`, why });
  const unknown = needs.filter((need) => !ADVANTAGE_NEEDS.includes(need));
  if (unknown.length > 0)
    throw refuse(`it needs ${unknown.join(", ")}, and there are only ${ADVANTAGE_NEEDS.join(", ")}`);
  if (needs.includes("values") && !run.critic) throw refuse("it needs values, and critic.enable is not true");
  if (run.bypass && run.needsSumPiSquared) {
    throw refuse("it needs Σπ² of the old policy, and rollout_correction.bypass_mode makes no forward pass for it");
  }
}

function createActorLoss(
  { config, services }: Pick<TrainerOptions, "config" | "services">,
  correction: RolloutCorrectionConfig,
): AnyLoss {
  const { actor } = config.actor_rollout_ref;
  const mode = correction.bypassMode ? "bypass_mode" : actor.policy_loss.loss_mode;
  return actorLoss({
    policyLoss: services.registries.policyLosses.require(mode).create({
      clipRatioLow: actor.clip_ratio_low,
      clipRatioHigh: actor.clip_ratio_high,
      clipRatioC: actor.clip_ratio_c,
      lossAggMode: actor.loss_agg_mode,
      hasRolloutIsWeights: correction.rolloutIs !== null && !correction.bypassMode,
      extra: {
        ...actor.policy_loss,
        tau_pos: actor.tau_pos,
        tau_neg: actor.tau_neg,
        ...(correction.bypassMode ? { rollout_correction: config.algorithm.rollout_correction } : {}),
      },
    }),
    lossAggMode: actor.loss_agg_mode,
    entropyCoeff: actor.entropy_coeff,
    calculateEntropy: actor.calculate_entropy,
    kl: actor.use_kl_loss ? { coef: actor.kl_loss_coef, type: actor.kl_loss_type } : null,
  });
}
