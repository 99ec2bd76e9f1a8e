import { formatErrors } from "./errors.js";

/** Exponent bits of a float32, all set in NaN and infinity. */
const EXPONENT = 0x7f800000;

/**
 * Refuse a tensor that holds NaN or infinity: everything computed with it would be NaN.
 * @param fix  for one that is not of a model that somebody published
 */
export function requireFinite(name: string, values: Float32Array, where: string, fix?: string): void {
  const words = new Uint32Array(values.buffer, values.byteOffset, values.length);
  let [count, first] = [0, 0];
  for (let i = 0; i < words.length; i++) {
    if ((words[i] & EXPONENT) === EXPONENT && count++ === 0) first = i;
  }
  if (count === 0) return;
  throw formatErrors.VERL_FORMATS_NOT_FINITE({
    what: `${count} of the ${values.length} values of tensor "${name}" are NaN or infinite, the first (${values[first]}) at ${first}`,
    where,
    ...(fix === undefined ? {} : { fix }),
  });
}
