/** What `clip_cov` and `kl_cov` share: covariances over a mini-batch, and losses with a selection of tokens. */
import type { LossAlgebra, LossInput, LossTerms, OpaqueLoss, OutputName } from "../algebra.js";
import { errors } from "../errors.js";
import { maskedMean } from "../masked.js";
import { evaluateLoss } from "../tape.js";

/** (A − mean A)·(lp − mean lp) of each token, means over the tokens that count, [R]. 0 where the mask is. */
export function tokenCovariance(input: LossInput): Float64Array {
  const logProb = outputOf(input, "logProb");
  const advantages = columnOf(input, "advantages");
  const mask = input.responseMask;
  const [meanA, meanLp] = [maskedMean(advantages, mask), maskedMean(logProb, mask)];
  const covariance_R = new Float64Array(mask.length);
  for (let r = 0; r < mask.length; r++) {
    if (mask[r]) covariance_R[r] = (advantages[r] - meanA) * (logProb[r] - meanLp);
  }
  return covariance_R;
}

/** max(1, ⌊ratio · valid tokens⌋) */
export function selectionSize(input: LossInput, ratio: number): number {
  let valid = 0;
  for (let r = 0; r < input.responseMask.length; r++) if (input.responseMask[r]) valid++;
  return Math.max(1, Math.floor(ratio * valid));
}

/**
 * A loss over the algebra that reads one more column, `selected` (1 = this token), computed from the whole mini-batch.
 * Choosing tokens is no vector operation, so the loss is opaque to engines; its formula is not.
 */
export function selectiveLoss(
  name: string,
  select: (input: LossInput) => ArrayLike<number>,
  build: (g: LossAlgebra) => LossTerms,
): OpaqueLoss {
  return {
    kind: "opaque",
    name,
    scope: "miniBatch",
    outputs: ["logProb"],
    compute(input) {
      const selected = { extent: "token" as const, data: select(input) };
      // Once the tokens are selected, the rest goes token by token.
      const loss = { kind: "algebra", name, scope: "token", outputs: [], columns: [], key: name, build } as const;
      return evaluateLoss(loss, { ...input, columns: new Map([...input.columns, ["selected", selected]]) });
    },
  };
}

export function outputOf(input: LossInput, name: OutputName): ArrayLike<number> {
  const data = input.outputs[name];
  if (!data) throw errors.VERL_ALGORITHMS_MISSING_INPUT({ what: `the loss reads the model output "${name}"` });
  return data;
}

export function columnOf(input: LossInput, name: string): ArrayLike<number> {
  const column = input.columns.get(name);
  if (!column) throw errors.VERL_ALGORITHMS_MISSING_INPUT({ what: `the loss reads the column "${name}"` });
  return column.data;
}

export function positiveRatio(name: string, ratio: number): number {
  if (ratio > 0) return ratio;
  throw errors.VERL_ALGORITHMS_BAD_VALUE({ what: `${name} is ${ratio}`, why: "it must be positive" });
}
