import { f16Value } from "../half.js";

/**
 * The types with blocks of 32 values and one 16-bit scale d, some with a 16-bit minimum m. Values i and i + 16 share a byte
 * of 4-bit codes, the low half being the first. Every product is exact in float32, so the order of operations is free.
 */
const BLOCK = 32;
const HALF = 16;

/** d, 16 bytes of codes: d * (code - 8). */
export function q4_0(blocks: Uint8Array, out: Float32Array): void {
  for (let at = 0, o = 0; o < out.length; at += 18, o += BLOCK) {
    const d = scaleAt(blocks, at);
    for (let i = 0; i < HALF; i++) {
      const codes = blocks[at + 2 + i];
      out[o + i] = d * ((codes & 15) - 8);
      out[o + HALF + i] = d * ((codes >> 4) - 8);
    }
  }
}

/** d, m, 16 bytes of codes: d * code + m. */
export function q4_1(blocks: Uint8Array, out: Float32Array): void {
  for (let at = 0, o = 0; o < out.length; at += 20, o += BLOCK) {
    const d = scaleAt(blocks, at);
    const m = scaleAt(blocks, at + 2);
    for (let i = 0; i < HALF; i++) {
      const codes = blocks[at + 4 + i];
      out[o + i] = d * (codes & 15) + m;
      out[o + HALF + i] = d * (codes >> 4) + m;
    }
  }
}

/** d, 32 fifth bits, 16 bytes of codes: d * (code - 16). */
export function q5_0(blocks: Uint8Array, out: Float32Array): void {
  for (let at = 0, o = 0; o < out.length; at += 22, o += BLOCK) {
    const d = scaleAt(blocks, at);
    for (let i = 0; i < HALF; i++) {
      const codes = blocks[at + 6 + i];
      out[o + i] = d * (((codes & 15) | fifthBit(blocks, at + 2, i)) - 16);
      out[o + HALF + i] = d * (((codes >> 4) | fifthBit(blocks, at + 2, HALF + i)) - 16);
    }
  }
}

/** d, m, 32 fifth bits, 16 bytes of codes: d * code + m. */
export function q5_1(blocks: Uint8Array, out: Float32Array): void {
  for (let at = 0, o = 0; o < out.length; at += 24, o += BLOCK) {
    const d = scaleAt(blocks, at);
    const m = scaleAt(blocks, at + 2);
    for (let i = 0; i < HALF; i++) {
      const codes = blocks[at + 8 + i];
      out[o + i] = d * ((codes & 15) | fifthBit(blocks, at + 4, i)) + m;
      out[o + HALF + i] = d * ((codes >> 4) | fifthBit(blocks, at + 4, HALF + i)) + m;
    }
  }
}

/** d, 32 signed bytes: d * byte. */
export function q8_0(blocks: Uint8Array, out: Float32Array): void {
  for (let at = 0, o = 0; o < out.length; at += 34, o += BLOCK) {
    const d = scaleAt(blocks, at);
    for (let i = 0; i < BLOCK; i++) out[o + i] = d * ((blocks[at + 2 + i] << 24) >> 24);
  }
}

function scaleAt(blocks: Uint8Array, at: number): number {
  return f16Value(blocks[at] | (blocks[at + 1] << 8));
}

function fifthBit(blocks: Uint8Array, at: number, i: number): number {
  return ((blocks[at + (i >> 3)] >> (i & 7)) & 1) << 4;
}
