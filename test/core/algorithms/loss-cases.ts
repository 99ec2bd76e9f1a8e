/**
 * Every loss with its options, by the file that it is written in. What must hold for all losses is tested over this table, and
 * `loss-cases.test.ts` fails when a file is missing, so that a new loss cannot be forgotten.
 */
import type { LossAggMode, PolicyLossConfig } from "../../../core/algorithms/advantage.js";
import type { AnyLoss, LossInput } from "../../../core/algorithms/algebra.js";
import {
  actorLoss,
  builtinPolicyLosses,
  DPO_LOSS_TYPES,
  distillationLoss,
  distillationTotalLoss,
  dpoLoss,
  KL_PENALTIES,
  ktoLoss,
  LOSS_AGG_MODES,
  type LossFunction,
  orpoLoss,
  rewardModelLoss,
  sftLoss,
  simpoLoss,
  valueLoss,
} from "../../../core/algorithms/index.js";
import { RandomStream } from "../../../core/data/random.js";
import { offsetsOf, policyConfig } from "./fixtures.js";

/** Files of `core/algorithms/losses` that hold no loss of their own. */
export const SHARED_FILES = ["covariance", "pair-terms", "policy-terms"];

/** A registered policy loss in every aggregation mode, with and without weights, and with further settings. */
function policy(name: string, ...settings: Partial<PolicyLossConfig>[]): AnyLoss[] {
  const factory = builtinPolicyLosses.find((loss) => loss.name === name);
  if (!factory) throw new Error(`no policy loss "${name}"`);
  const plain = LOSS_AGG_MODES.map((lossAggMode): Partial<PolicyLossConfig> => ({ lossAggMode }));
  const all = [...plain, { hasRolloutIsWeights: true }, { clipRatioLow: 0.1, clipRatioHigh: 0.02 }, ...settings];
  return all.map((part) => factory.create(policyConfig({ ...part, extra: { dro_beta: 0.5, ...part.extra } })));
}

const vanilla = policy("vanilla")[0];

function actor(lossAggMode: LossAggMode, kl: string | null, entropyCoeff = 0.01, policyLoss = vanilla): AnyLoss {
  return actorLoss({ policyLoss, lossAggMode, entropyCoeff, kl: kl === null ? null : { coef: 0.1, type: kl } });
}

function distillation(lossMode: string, usePolicyGradient: boolean, lossAggMode: LossAggMode = "token-mean") {
  const common = { lossMaxClamp: 0.4, clipRatioLow: 0.2, clipRatioHigh: 0.3 };
  return distillationLoss({ lossMode, lossAggMode, usePolicyGradient, ...common });
}

const correction = (section: Readonly<Record<string, unknown>>): Partial<PolicyLossConfig> => ({
  extra: { rollout_correction: section },
});

export const LOSS_CASES: Readonly<Record<string, readonly AnyLoss[]>> = {
  actor: [
    ...LOSS_AGG_MODES.map((mode) => actor(mode, "low_var_kl")),
    ...KL_PENALTIES.flatMap((kl) => [actor("token-mean", kl), actor("token-mean", `${kl}+`, 0)]),
    actor("seq-mean-token-mean", "k3", -0.1, policy("gspo")[0]),
    actor("token-mean", "k2", 0.1, policy("kl_cov")[0]),
  ],
  "bypass-mode": policy(
    "bypass_mode",
    correction({ rollout_is: "token", rollout_rs: "token_k1", rollout_rs_threshold: "0.7_1.4" }),
    correction({ rollout_rs: "seq_mean_k1,token_k3", rollout_rs_threshold: "0.9_1.2,0.5", loss_type: "reinforce" }),
  ),
  cispo: policy("cispo", { clipRatioLow: 10, clipRatioHigh: 0.2 }),
  "clip-cov": policy("clip_cov", { extra: { clip_cov_ratio: 0.3, clip_cov_lb: -9, clip_cov_ub: 9 } }),
  distillation: [
    ...KL_PENALTIES.filter((kl) => kl !== "kl" && kl !== "k1").map((kl) => distillation(kl, false)),
    ...KL_PENALTIES.flatMap((kl) => [distillation(kl, true), distillation(`${kl}+`, false)]),
    ...LOSS_AGG_MODES.map((mode) => distillation("k3", true, mode)),
    distillationTotalLoss(distillation("k3", false), null),
    distillationTotalLoss(distillation("k2", false), { actor: actor("token-mean", null) as LossFunction, coef: 0.5 }),
  ],
  dpo: DPO_LOSS_TYPES.flatMap((lossType) => [
    dpoLoss({ lossType, beta: 0.3 }),
    dpoLoss({ lossType, beta: 0.1, labelSmoothing: 0.1, average: true }),
    dpoLoss({ lossType, beta: 0.5, referenceFree: true, rpoAlpha: 0.7 }),
  ]),
  dppo: [
    ...policy("dppo_tv", { clipRatioLow: 0.15, clipRatioHigh: 0.15, clipRatioC: null }, { clipRatioC: 1.1 }),
    ...policy("dppo_kl", { clipRatioLow: 0.05, clipRatioHigh: 0.05, clipRatioC: null }, { clipRatioC: 1.1 }),
  ],
  dro: policy("dro"),
  "geo-mean": policy("geo_mean", { extra: { geo_mean_average: "rows" } }),
  gpg: policy("gpg"),
  gspo: policy("gspo", { clipRatioLow: 3e-4, clipRatioHigh: 4e-4 }),
  "kl-cov": policy("kl_cov", { extra: { kl_cov_ratio: 0.3, ppo_kl_coef: 1 } }),
  kto: [1, 1.33].map((desirableWeight) => ktoLoss({ beta: 0.4, desirableWeight, undesirableWeight: 1 })),
  orpo: [0.1, 1].map((lambda) => orpoLoss({ lambda })),
  reinforce: policy("reinforce"),
  "reward-model": [
    rewardModelLoss({ margin: 0.5, centerCoefficient: 0.01 }),
    rewardModelLoss({ margin: "column", centerCoefficient: 0 }),
  ],
  sapo: policy("sapo", { extra: { tau_pos: 2, tau_neg: 0.7 } }),
  sft: LOSS_AGG_MODES.map((mode) => sftLoss(mode)),
  simpo: [simpoLoss({ beta: 2, gamma: 0.5 })],
  value: LOSS_AGG_MODES.map((lossAggMode) => valueLoss({ clipRange: 0.3, lossAggMode })),
  "topk-distillation": [false, true].flatMap((hasOverlap) =>
    [null, -2].map((logProbMinClamp) =>
      distillationLoss({
        lossMode: "forward_kl_topk",
        topk: { topk: 3, logProbMinClamp, hasOverlap },
        lossAggMode: "token-mean",
        lossMaxClamp: null,
        usePolicyGradient: hasOverlap,
        clipRatioLow: 0.2,
        clipRatioHigh: 0.2,
      }),
    ),
  ),
  vanilla: policy("vanilla", { clipRatioC: 1.1 }, { clipRatioC: null }),
};

export const ALL_LOSSES: readonly AnyLoss[] = Object.values(LOSS_CASES).flat();

/** Rows of the batch over which all losses are tried: ragged, with tool tokens in between, pairs side by side. */
const MASKS = [[1, 1, 0, 1], [1], [0, 1, 1], [1, 1], [1, 0, 1, 1, 1], [1, 1, 1]];

/** Everything that any loss reads, at smooth points: no value lies on the edge of a clip. */
export function anyLossInput(): LossInput {
  const responseMask = MASKS.flat();
  const responseOffsets = offsetsOf(MASKS.map((mask) => ({ mask })));
  const random = new RandomStream(11, "loss-cases");
  const tokens = (mean: number, deviation: number) => responseMask.map(() => mean + deviation * random.normal());
  const logProb = tokens(-1.5, 0.3);
  const near = (deviation: number) => logProb.map((lp) => lp + deviation * random.normal());
  const named = (prefix: string, of: () => number[]) => [0, 1, 2].map((k) => [`${prefix}${k}`, of()] as const);
  const columns: Record<string, number[]> = {
    oldLogProb: near(0.25),
    refLogProb: near(0.4),
    teacherLogProb: near(0.6),
    advantages: tokens(0, 1),
    rolloutIsWeights: tokens(1, 0.1),
    returns: tokens(0, 1),
    oldValues: tokens(0, 0.5),
    ...Object.fromEntries(named("teacherLogProb", () => tokens(-1.2, 0.3))),
    ...Object.fromEntries(named("ownTopHasId", () => responseMask.map(() => random.int(2)))),
  };
  const rows: Record<string, number[]> = {
    chosen: MASKS.map((_, b) => (b % 4 === 0 || b % 4 === 3 ? 1 : 0)),
    desirable: MASKS.map((_, b) => (b % 3 === 0 ? 1 : 0)),
    klBaseline: MASKS.map(() => 0.1),
    margin: MASKS.map(() => 0.3),
  };
  const extent = (of: "token" | "sequence", lists: Record<string, number[]>) =>
    Object.entries(lists).map(([name, data]) => [name, { extent: of, data }] as const);
  return {
    outputs: {
      logProb,
      entropy: tokens(1, 0.2),
      sumPiSquared: tokens(0.3, 0.05),
      values: tokens(0, 0.5),
      scores: MASKS.map((_, b) => Math.sin(2 * b + 1)),
      ...Object.fromEntries(named("logProbAtId", () => tokens(-1.6, 0.4))),
    },
    columns: new Map([...extent("token", columns), ...extent("sequence", rows)]),
    responseMask,
    responseOffsets,
    counts: { batchNumTokens: 19, globalBatchSize: 6, lossScaleFactor: 7, dpSize: 1 },
  };
}
