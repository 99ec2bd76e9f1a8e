/** Masked reductions over the loss algebra. Values under the mask are selected away, never multiplied: NaN stays out. */
import type { LossAlgebra, Value } from "./algebra.js";

/** The values where the mask is set, 0 elsewhere, [R]. */
export function masked(g: LossAlgebra, value_R: Value, mask_R: Value = g.mask()): Value {
  return g.where(mask_R, value_R, g.constant(0));
}

/** 1 where the mask is set, [R]. */
export function indicator(g: LossAlgebra, mask_R: Value = g.mask()): Value {
  return g.where(mask_R, g.constant(1), g.constant(0));
}

/** A count as a denominator: itself, or 1 where it is 0 (its numerator is 0 as well). */
export function denominator(g: LossAlgebra, count: Value): Value {
  return g.where(g.greater(count, g.constant(0)), count, g.constant(1));
}

/** Mean over the tokens of this micro-batch that count; 0 without any. */
export function maskedMean(g: LossAlgebra, value_R: Value, mask_R: Value = g.mask()): Value {
  return g.div(g.sum(masked(g, value_R, mask_R)), denominator(g, g.sum(indicator(g, mask_R))));
}

/** Mean over the tokens of each sequence that count, [B]; 0 without any. */
export function rowMean(g: LossAlgebra, value_R: Value, mask_R: Value = g.mask()): Value {
  const count_B = g.sumTokens(indicator(g, mask_R));
  return g.div(g.sumTokens(masked(g, value_R, mask_R)), denominator(g, count_B));
}

/** Product of conditions (0/1 values). */
export function both(g: LossAlgebra, a: Value, b: Value): Value {
  return g.where(a, b, g.constant(0));
}
