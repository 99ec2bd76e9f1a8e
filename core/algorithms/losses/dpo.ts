/**
 * Direct preference optimisation and its kin. With x = log π − log π_ref of a whole response and h = x_w − x_l:
 *
 *   sigmoid     −(1−ε)·log σ(βh) − ε·log σ(−βh)                    DPO 2305.18290; ε > 0: conservative DPO
 *   robust      [−(1−ε)·log σ(βh) + ε·log σ(−βh)] / (1−2ε)         2403.00409, ε < ½
 *   hinge       max(0, 1 − βh)                                     SLiC 2305.10425
 *   ipo         (h − 1/(2β))²                                      2310.12036; commonly on averages (`average`)
 *   sppo_hard   (x_w − 1/(2β))² + (x_l + 1/(2β))²                  2405.00675
 *   + rpo_alpha · token mean of −log π over chosen tokens          RPO 2404.19733
 *
 * The RPO term averages over the chosen tokens of the mini-batch, so with it the loss has the scope of a mini-batch.
 */
import type { LossAlgebra, LossFunction, Value } from "../algebra.js";
import { errors } from "../errors.js";
import { both, denominator, indicator } from "../masked-algebra.js";
import { logRatio, negLogSigmoid, pairLoss, pairMean, partner, rewardMetrics } from "./pair-terms.js";

export const DPO_LOSS_TYPES = ["sigmoid", "robust", "hinge", "ipo", "sppo_hard"] as const;

export interface DpoOptions {
  readonly lossType: (typeof DPO_LOSS_TYPES)[number];
  readonly beta: number;
  /** ε */
  readonly labelSmoothing?: number;
  readonly referenceFree?: boolean;
  /** Log-probabilities per token instead of summed. */
  readonly average?: boolean;
  readonly rpoAlpha?: number;
}

export function dpoLoss(options: DpoOptions): LossFunction {
  check(options);
  const alpha = options.rpoAlpha ?? 0;
  return pairLoss(
    "dpo",
    options,
    options.referenceFree ? [] : ["refLogProb"],
    (g) => {
      const own_B = logRatio(g, options);
      let loss = pairMean(g, perPair(g, own_B, partner(g, own_B), options));
      if (alpha !== 0) loss = g.add(loss, g.mul(g.constant(alpha), chosenNll(g)));
      return { loss, metrics: rewardMetrics(g, own_B, options.beta) };
    },
    { scope: alpha === 0 ? "pair" : "miniBatch" },
  );
}

/** The loss of a pair, right on its chosen row. */
function perPair(g: LossAlgebra, chosen_B: Value, rejected_B: Value, options: DpoOptions): Value {
  const { lossType, beta, labelSmoothing: epsilon = 0 } = options;
  const h = g.sub(chosen_B, rejected_B);
  const margin = g.mul(g.constant(beta), h);
  const target = g.constant(1 / (2 * beta));
  switch (lossType) {
    case "sigmoid":
    case "robust": {
      const right = g.mul(g.constant(1 - epsilon), negLogSigmoid(g, margin));
      const wrong = g.mul(g.constant(epsilon), negLogSigmoid(g, g.neg(margin)));
      if (lossType === "sigmoid") return g.add(right, wrong);
      return g.div(g.sub(right, wrong), g.constant(1 - 2 * epsilon));
    }
    case "hinge":
      return g.maximum(g.constant(0), g.sub(g.constant(1), margin));
    case "ipo":
      return g.square(g.sub(h, target));
    case "sppo_hard":
      return g.add(g.square(g.sub(chosen_B, target)), g.square(g.add(rejected_B, target)));
  }
}

/** −log π averaged over all tokens of chosen responses. */
function chosenNll(g: LossAlgebra): Value {
  const counts_R = both(g, g.column("chosen"), indicator(g));
  const total = g.sum(g.where(counts_R, g.neg(g.output("logProb")), g.constant(0)));
  return g.div(total, denominator(g, g.sum(counts_R)));
}

function check({ lossType, beta, labelSmoothing = 0 }: DpoOptions): void {
  if (!DPO_LOSS_TYPES.includes(lossType)) {
    throw errors.VERL_ALGORITHMS_UNKNOWN_NAME({
      what: `there is no DPO loss "${lossType}"`,
      why: `known: ${DPO_LOSS_TYPES.join(", ")}`,
    });
  }
  if (!(beta > 0)) throw errors.VERL_ALGORITHMS_BAD_VALUE({ what: `beta is ${beta}`, why: "it must be positive" });
  if (!(labelSmoothing >= 0 && labelSmoothing < 0.5)) {
    throw errors.VERL_ALGORITHMS_BAD_VALUE({
      what: `label_smoothing is ${labelSmoothing}`,
      why: "it is the share of wrong labels, from 0 to below 0.5",
    });
  }
}
