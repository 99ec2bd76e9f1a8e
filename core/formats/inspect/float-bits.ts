import type { PieceValues } from "./weight-inspection.js";

/** Stored floating-point types whose values are judged by their bits, without conversion. */
export const FLOAT_BITS = {
  F32: { bytes: 4, exponent: 0x7f800000, magnitude: 0x7fffffff },
  BF16: { bytes: 2, exponent: 0x7f80, magnitude: 0x7fff },
  F16: { bytes: 2, exponent: 0x7c00, magnitude: 0x7fff },
} as const;

/** Looks at floating-point numbers as they are stored. Bits of an exponent are all set in NaN and infinity. */
export function lookAtBits(buffer: ArrayBuffer, elements: number, type: keyof typeof FLOAT_BITS): PieceValues {
  const { bytes, exponent, magnitude } = FLOAT_BITS[type];
  const words = bytes === 4 ? new Uint32Array(buffer, 0, elements) : new Uint16Array(buffer, 0, elements);
  let [notFinite, first, any] = [0, -1, 0];
  for (let i = 0; i < words.length; i++) {
    any |= words[i] & magnitude;
    if ((words[i] & exponent) === exponent && notFinite++ === 0) first = i;
  }
  return { elements, notFinite, first, hasNonZero: any !== 0 };
}

/** The same for doubles: the upper half of each has the exponent. */
export function lookAtDoubles(buffer: ArrayBuffer, elements: number): PieceValues {
  const words = new Uint32Array(buffer, 0, 2 * elements);
  let [notFinite, first, any] = [0, -1, 0];
  for (let i = 0; i < elements; i++) {
    const upper = words[2 * i + 1];
    any |= (upper & 0x7fffffff) | words[2 * i];
    if ((upper & 0x7ff00000) === 0x7ff00000 && notFinite++ === 0) first = i;
  }
  return { elements, notFinite, first, hasNonZero: any !== 0 };
}
