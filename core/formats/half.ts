/**
 * Conversions between float32 and the two 16-bit float types, on raw bits. Writing rounds to nearest, ties to even, as
 * PyTorch and the hardware do.
 */

/** bfloat16 bits to float32. */
export function bf16ToF32(bits: Uint16Array, out: Float32Array = new Float32Array(bits.length)): Float32Array {
  const words = wordsOf(out);
  for (let i = 0; i < bits.length; i++) words[i] = bits[i] << 16;
  return out;
}

/** IEEE binary16 bits to float32. */
export function f16ToF32(bits: Uint16Array, out: Float32Array = new Float32Array(bits.length)): Float32Array {
  const words = wordsOf(out);
  for (let i = 0; i < bits.length; i++) {
    const h = bits[i];
    const exponent = h & 0x7c00;
    const sign = (h & 0x8000) << 16;
    if (exponent === 0) out[i] = (h & 0x8000 ? -1 : 1) * (h & 0x3ff) * 2 ** -24;
    else if (exponent === 0x7c00) words[i] = sign | 0x7f800000 | ((h & 0x3ff) << 13);
    else words[i] = sign | (((h & 0x7fff) << 13) + 0x38000000);
  }
  return out;
}

/** One IEEE binary16 number, for scales inside quantised blocks. */
export function f16Value(h: number): number {
  const sign = h & 0x8000 ? -1 : 1;
  const exponent = (h >> 10) & 0x1f;
  const mantissa = h & 0x3ff;
  if (exponent === 0) return sign * mantissa * 2 ** -24;
  if (exponent === 31) return mantissa === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1024 + mantissa) * 2 ** (exponent - 25);
}

/** float32 to bfloat16 bits. */
export function f32ToBf16(values: Float32Array, out: Uint16Array = new Uint16Array(values.length)): Uint16Array {
  const words = wordsOf(values);
  for (let i = 0; i < words.length; i++) {
    const x = words[i];
    // A NaN must not be rounded into infinity: keep its top bits and make it quiet.
    out[i] = (x & 0x7fffffff) > 0x7f800000 ? (x >>> 16) | 0x40 : (x + 0x7fff + ((x >>> 16) & 1)) >>> 16;
  }
  return out;
}

/** float32 to IEEE binary16 bits; beyond 65504 becomes infinity. */
export function f32ToF16(values: Float32Array, out: Uint16Array = new Uint16Array(values.length)): Uint16Array {
  const words = wordsOf(values);
  const scratch = new Float32Array(1);
  const scratchWord = new Uint32Array(scratch.buffer);
  for (let i = 0; i < words.length; i++) {
    const sign = (words[i] >>> 16) & 0x8000;
    const x = words[i] & 0x7fffffff;
    if (x > 0x7f800000) out[i] = sign | 0x7e00 | ((x >>> 13) & 0x3ff);
    else if (x >= 0x47800000) out[i] = sign | 0x7c00;
    else if (x < 0x38800000) {
      // Subnormal result: adding 0.5, whose last place is 2^-24, lets float32 addition do the rounding.
      scratch[0] = Math.abs(values[i]) + 0.5;
      out[i] = sign | (scratchWord[0] - 0x3f000000);
    } else out[i] = sign | ((x - 0x38000000 + 0xfff + ((x >>> 13) & 1)) >>> 13);
  }
  return out;
}

function wordsOf(values: Float32Array): Uint32Array {
  return new Uint32Array(values.buffer, values.byteOffset, values.length);
}
