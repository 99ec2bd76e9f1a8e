import { bf16ToF32, f16ToF32 } from "../half.js";
import { q4K, q5K, q6K } from "./dequantise-k.js";
import { q4_0, q4_1, q5_0, q5_1, q8_0 } from "./dequantise-legacy.js";

/** Expand whole blocks: `out` holds `blockElements` values for every `blockBytes` of `blocks`. */
export type Dequantise = (blocks: Uint8Array, out: Float32Array) => void;

/** A storage type of GGUF tensors. */
export interface GgufType {
  readonly id: number;
  readonly name: string;
  /** Elements that are stored together; a row is a whole number of blocks. */
  readonly blockElements: number;
  readonly blockBytes: number;
  readonly dequantise: Dequantise;
}

/** The numbering of ggml. */
const TYPES: readonly GgufType[] = [
  { id: 0, name: "F32", blockElements: 1, blockBytes: 4, dequantise: (blocks, out) => bytesOf(out).set(blocks) },
  { id: 1, name: "F16", blockElements: 1, blockBytes: 2, dequantise: (blocks, out) => f16ToF32(wordsOf(blocks), out) },
  {
    id: 30,
    name: "BF16",
    blockElements: 1,
    blockBytes: 2,
    dequantise: (blocks, out) => bf16ToF32(wordsOf(blocks), out),
  },
  { id: 2, name: "Q4_0", blockElements: 32, blockBytes: 18, dequantise: q4_0 },
  { id: 3, name: "Q4_1", blockElements: 32, blockBytes: 20, dequantise: q4_1 },
  { id: 6, name: "Q5_0", blockElements: 32, blockBytes: 22, dequantise: q5_0 },
  { id: 7, name: "Q5_1", blockElements: 32, blockBytes: 24, dequantise: q5_1 },
  { id: 8, name: "Q8_0", blockElements: 32, blockBytes: 34, dequantise: q8_0 },
  { id: 12, name: "Q4_K", blockElements: 256, blockBytes: 144, dequantise: q4K },
  { id: 13, name: "Q5_K", blockElements: 256, blockBytes: 176, dequantise: q5K },
  { id: 14, name: "Q6_K", blockElements: 256, blockBytes: 210, dequantise: q6K },
];

const BY_ID: ReadonlyMap<number, GgufType> = new Map(TYPES.map((type) => [type.id, type]));

export function ggufType(id: number): GgufType | undefined {
  return BY_ID.get(id);
}

function bytesOf(values: Float32Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

/** The reader hands out chunks that start at the front of a buffer of their own, so they are aligned. */
function wordsOf(blocks: Uint8Array): Uint16Array {
  return new Uint16Array(blocks.buffer, blocks.byteOffset, blocks.byteLength / 2);
}
