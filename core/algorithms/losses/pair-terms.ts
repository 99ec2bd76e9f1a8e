/**
 * What the preference losses share. A batch holds pairs: rows 2i and 2i + 1, and the column `chosen` [B] is 1 on the
 * preferred one. The loss of a pair stands on its chosen row. Means are over the pairs of the global mini-batch.
 */
import type { LossAlgebra, LossFunction, LossMetric, LossTerms, Value } from "../algebra.js";
import { errors } from "../errors.js";
import { denominator, masked, rowMean } from "../masked-algebra.js";

/** The same value of the other row of the pair, [B]. */
export function partner(g: LossAlgebra, value_B: Value): Value {
  if (!g.partner) {
    throw errors.VERL_ALGORITHMS_MISSING_INPUT({
      what: "this loss compares the two rows of a pair, which the engine's own form of the loss algebra cannot",
      fix: "Let the engine fall back to the two-phase path.",
    });
  }
  return g.partner(value_B);
}

/** Σ log p of each response's tokens that count, [B]; `average` divides by their number. */
export function sequenceLogProb(g: LossAlgebra, logProb_R: Value, average = false): Value {
  return average ? rowMean(g, logProb_R) : g.sumTokens(masked(g, logProb_R));
}

/** x = log π − log π_ref of the response, [B]; without the reference if `referenceFree`. */
export function logRatio(g: LossAlgebra, options: { referenceFree?: boolean; average?: boolean } = {}): Value {
  const logProb = g.output("logProb");
  const score_R = options.referenceFree ? logProb : g.sub(logProb, g.column("refLogProb"));
  return sequenceLogProb(g, score_R, options.average);
}

/** −log σ(x), stable. */
export function negLogSigmoid(g: LossAlgebra, x: Value): Value {
  return g.softplus(g.neg(x));
}

/** This micro-batch's share of the mean over pairs of a value on the chosen rows. */
export function pairMean(g: LossAlgebra, value_B: Value): Value {
  const total = g.sum(g.where(g.column("chosen"), value_B, g.constant(0)));
  const pairs = g.div(g.count("globalBatchSize"), g.constant(2));
  return g.div(g.mul(g.count("dpSize"), total), denominator(g, pairs));
}

/** A share of a mean over pairs, as a metric: shares add up. */
export function pairMetric(g: LossAlgebra, value_B: Value): LossMetric {
  return { value: pairMean(g, value_B), reduction: "sum" };
}

/** Implicit rewards β·x of both halves, and how often the chosen one is ahead. `own` is x on every row, [B]. */
export function rewardMetrics(g: LossAlgebra, own_B: Value, beta: number): Record<string, LossMetric> {
  const other_B = partner(g, own_B);
  const scaled = (value: Value) => g.mul(g.constant(beta), g.stopGradient(value));
  return {
    "rewards/chosen": pairMetric(g, scaled(own_B)),
    "rewards/rejected": pairMetric(g, scaled(other_B)),
    "rewards/margins": pairMetric(g, scaled(g.sub(own_B, other_B))),
    "rewards/accuracies": pairMetric(g, g.greater(own_B, other_B)),
  };
}

/** A loss of scope `pair` over logProb. */
export function pairLoss(
  name: string,
  options: object,
  columns: readonly string[],
  build: (g: LossAlgebra) => LossTerms,
  shape: Partial<Pick<LossFunction, "outputs" | "scope">> = {},
): LossFunction {
  return {
    kind: "algebra",
    name,
    scope: shape.scope ?? "pair",
    outputs: shape.outputs ?? ["logProb"],
    columns: ["chosen", ...columns],
    key: `${name}:${JSON.stringify(options)}`,
    build,
  };
}
