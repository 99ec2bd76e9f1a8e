import { f16Value } from "../half.js";

/** What the 4-bit codes of both types stand for: closer together around 0, where most weights are. */
const VALUES = Int8Array.of(-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113);

/** d, 16 bytes of codes for 32 values: d * VALUES[code]. */
export function iq4Nl(blocks: Uint8Array, out: Float32Array): void {
  for (let at = 0, o = 0; o < out.length; at += 18, o += 32) {
    expand(blocks, at + 2, f16Value(blocks[at] | (blocks[at + 1] << 8)), out, o);
  }
}

/**
 * d, the top two bits of eight 6-bit scales in 2 bytes, their low four bits in 4, then 16 bytes of codes for each 32 of 256 values:
 * d * (scale - 32) * VALUES[code].
 */
export function iq4Xs(blocks: Uint8Array, out: Float32Array): void {
  for (let at = 0, o = 0; o < out.length; at += 136, o += 256) {
    const d = f16Value(blocks[at] | (blocks[at + 1] << 8));
    const high = blocks[at + 2] | (blocks[at + 3] << 8);
    for (let sub = 0; sub < 8; sub++) {
      const low = (blocks[at + 4 + (sub >> 1)] >> (4 * (sub & 1))) & 15;
      const scale = (low | (((high >> (2 * sub)) & 3) << 4)) - 32;
      expand(blocks, at + 8 + 16 * sub, d * scale, out, o + 32 * sub);
    }
  }
}

/** Values i and i + 16 share a byte, the low half being the first. */
function expand(blocks: Uint8Array, at: number, scale: number, out: Float32Array, o: number): void {
  for (let i = 0; i < 16; i++) {
    out[o + i] = scale * VALUES[blocks[at + i] & 15];
    out[o + 16 + i] = scale * VALUES[blocks[at + i] >> 4];
  }
}
