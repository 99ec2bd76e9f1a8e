import type { AdvantageConfig, AdvantageEstimator, AdvantageInput, AdvantageOutput } from "../../algorithms/index.js";
import { isVerlError } from "../../host/errors.js";
import { trainerErrors } from "../errors.js";

/**
 * What the estimator computes, with its shape and values checked: an estimator may be a plugin's, and an array of the wrong
 * length or a NaN would train on something else without a word. Values that no loss reads may be anything.
 */
export function estimateAdvantages(
  estimator: AdvantageEstimator,
  input: AdvantageInput,
  config: AdvantageConfig,
): AdvantageOutput {
  const refuse = (what: string, why?: string) =>
    trainerErrors.VERL_TRAINER_ESTIMATOR_FAILED({
      what: `the advantage estimator ${estimator.name} ${what}`,
      ...(why ? { why } : {}),
    });
  let output: AdvantageOutput;
  try {
    output = estimator.compute(input, config);
  } catch (error) {
    if (isVerlError(error)) throw error;
    throw refuse("failed", String(error));
  }
  const tokens = input.responseMask.length;
  for (const name of ["advantages", "returns"] as const) {
    const values: unknown = output?.[name];
    if (!(values instanceof Float32Array || values instanceof Float64Array))
      throw refuse(`gave no ${name}`, "compute returns { advantages, returns }, each a Float32Array or Float64Array");
    if (values.length !== tokens)
      throw refuse(`gave ${values.length} ${name}`, `the batch has ${tokens} response tokens, and each has one`);
    const wrong = firstNonFinite(values, input);
    if (wrong !== null) throw refuse(`gave ${name} that are not finite`, wrong);
  }
  return output;
}

/** Where a token that counts has no finite number, in words; null if nowhere. */
function firstNonFinite(values: ArrayLike<number>, input: AdvantageInput): string | null {
  const { responseOffsets, responseMask, eligible, keys } = input;
  for (let b = 0; b + 1 < responseOffsets.length; b++) {
    if (eligible && !eligible[b]) continue;
    for (let i = responseOffsets[b]; i < responseOffsets[b + 1]; i++)
      if (responseMask[i] && !Number.isFinite(values[i]))
        return `${values[i]} at response token ${i - responseOffsets[b]} of trajectory ${keys?.[b] ?? b}`;
  }
  return null;
}
