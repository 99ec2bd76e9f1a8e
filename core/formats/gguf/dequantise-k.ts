import { f16Value } from "../half.js";

/** The "K" types: super-blocks of 256 values with 16-bit scales over small integer scales of sub-blocks. */
const SUPER = 256;

/**
 * 16 bytes of 4-bit (scale, min) pairs for 16 values each, 64 bytes of 2-bit codes, d, dmin: d * scale * code - dmin * min. Each
 * half of 128 values is four runs of 32: run r is bits 2r and 2r + 1 of 32 bytes.
 */
export function q2K(blocks: Uint8Array, out: Float32Array): void {
  for (let at = 0, o = 0; o < out.length; at += 84, o += SUPER) {
    const d = f16Value(blocks[at + 80] | (blocks[at + 81] << 8));
    const dMin = f16Value(blocks[at + 82] | (blocks[at + 83] << 8));
    for (let sub = 0; sub < 16; sub++) {
      const scale = d * (blocks[at + sub] & 15);
      const min = dMin * (blocks[at + sub] >> 4);
      const codes = at + 16 + codesOf(sub);
      const shift = shiftOf(sub);
      for (let i = 0; i < 16; i++) out[o + 16 * sub + i] = scale * ((blocks[codes + i] >> shift) & 3) - min;
    }
  }
}

/**
 * 32 bytes of third bits, 64 bytes of 2-bit codes as in Q2_K, 12 bytes of 6-bit scales, d: d * (scale - 32) * (code - 4), where bit
 * j of byte i is the third bit of value i of run j.
 */
export function q3K(blocks: Uint8Array, out: Float32Array): void {
  for (let at = 0, o = 0; o < out.length; at += 110, o += SUPER) {
    const d = f16Value(blocks[at + 108] | (blocks[at + 109] << 8));
    for (let sub = 0; sub < 16; sub++) {
      // Low halves of the scales 0-7 and 8-15 share 8 bytes; their top two bits are in the next four, of every fourth one.
      const low = (blocks[at + 96 + (sub & 7)] >> (4 * (sub >> 3))) & 15;
      const high = (blocks[at + 104 + (sub & 3)] >> (2 * (sub >> 2))) & 3;
      const scale = d * ((low | (high << 4)) - 32);
      const codes = at + 32 + codesOf(sub);
      const thirds = at + 16 * (sub & 1);
      const shift = shiftOf(sub);
      for (let i = 0; i < 16; i++) {
        const third = (blocks[thirds + i] >> (sub >> 1)) & 1;
        out[o + 16 * sub + i] = scale * (((blocks[codes + i] >> shift) & 3) + 4 * third - 4);
      }
    }
  }
}

/** Where the 2-bit codes of a sub-block of 16 values begin, and how far up in their bytes they are. */
const codesOf = (sub: number) => 32 * (sub >> 3) + 16 * (sub & 1);
const shiftOf = (sub: number) => 2 * ((sub >> 1) & 3);

/** d, dmin, 12 bytes of eight 6-bit (scale, min) pairs, 128 bytes of 4-bit codes: d * scale * code - dmin * min. */
export function q4K(blocks: Uint8Array, out: Float32Array): void {
  for (let at = 0, o = 0; o < out.length; at += 144, o += SUPER) {
    expandPairs(blocks, at, at + 16, null, out, o);
  }
}

/** As Q4_K, with 32 bytes of fifth bits between the scales and the codes: bit j of byte i belongs to value i of sub-block j. */
export function q5K(blocks: Uint8Array, out: Float32Array): void {
  for (let at = 0, o = 0; o < out.length; at += 176, o += SUPER) {
    expandPairs(blocks, at, at + 48, at + 16, out, o);
  }
}

/** Sub-blocks 2k and 2k + 1 share 32 bytes of codes, in their low and high halves. */
function expandPairs(
  blocks: Uint8Array,
  at: number,
  codesAt: number,
  fifthAt: number | null,
  out: Float32Array,
  o: number,
): void {
  const d = f16Value(blocks[at] | (blocks[at + 1] << 8));
  const dMin = f16Value(blocks[at + 2] | (blocks[at + 3] << 8));
  for (let sub = 0; sub < 8; sub++) {
    const scale = d * scaleOf(blocks, at + 4, sub);
    const min = dMin * minOf(blocks, at + 4, sub);
    const codes = codesAt + 32 * (sub >> 1);
    const shift = 4 * (sub & 1);
    for (let i = 0; i < 32; i++) {
      let code = (blocks[codes + i] >> shift) & 15;
      if (fifthAt !== null) code |= ((blocks[fifthAt + i] >> sub) & 1) << 4;
      out[o + 32 * sub + i] = scale * code - min;
    }
  }
}

/**
 * Twelve bytes hold eight 6-bit scales and eight 6-bit mins. Those of the sub-blocks 0-3 are the low six bits of bytes 0-3 and
 * 4-7; of sub-blocks 4-7, the low four bits are in bytes 8-11 (scale low half, min high half) and the top two bits are the top
 * two bits of bytes 0-3 and 4-7.
 */
function scaleOf(blocks: Uint8Array, at: number, sub: number): number {
  if (sub < 4) return blocks[at + sub] & 63;
  return (blocks[at + 4 + sub] & 15) | ((blocks[at + sub - 4] >> 6) << 4);
}

function minOf(blocks: Uint8Array, at: number, sub: number): number {
  if (sub < 4) return blocks[at + 4 + sub] & 63;
  return (blocks[at + 4 + sub] >> 4) | ((blocks[at + sub] >> 6) << 4);
}

/**
 * 128 bytes of low four bits, 64 bytes of high two bits, 16 signed scales of 16 values each, d: d * scale * (code - 32). Each half
 * of 128 values is four runs of 32: runs 0 and 1 are the low halves of 64 bytes, runs 2 and 3 their high halves; the high bits of
 * run r are bits 2r and 2r + 1 of 32 bytes.
 */
export function q6K(blocks: Uint8Array, out: Float32Array): void {
  for (let at = 0, o = 0; o < out.length; at += 210, o += SUPER) {
    const d = f16Value(blocks[at + 208] | (blocks[at + 209] << 8));
    for (let run = 0; run < 8; run++) {
      const half = run >> 2;
      const r = run & 3;
      const low = at + 64 * half + 32 * (r & 1);
      const high = at + 128 + 32 * half;
      for (let i = 0; i < 32; i++) {
        const code = ((blocks[low + i] >> (4 * (r >> 1))) & 15) | (((blocks[high + i] >> (2 * r)) & 3) << 4);
        const scale = (blocks[at + 192 + 2 * run + (i >> 4)] << 24) >> 24;
        out[o + 32 * run + i] = d * scale * (code - 32);
      }
    }
  }
}
