import { bf16ToF32, f16ToF32 } from "../half.js";
import { iq4Nl, iq4Xs } from "./dequantise-iq4.js";
import { q2K, q3K, q4K, q5K, q6K } from "./dequantise-k.js";
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
  /** Null for a type that is known and not read. */
  readonly dequantise: Dequantise | null;
}

type Row = readonly [id: number, name: string, blockElements: number, blockBytes: number, dequantise?: Dequantise];

/** The numbering of ggml; the gaps are types that it has given up. */
const TABLE: readonly Row[] = [
  [0, "F32", 1, 4, (blocks, out) => bytesOf(out).set(blocks)],
  [1, "F16", 1, 2, (blocks, out) => f16ToF32(wordsOf(blocks), out)],
  [2, "Q4_0", 32, 18, q4_0],
  [3, "Q4_1", 32, 20, q4_1],
  [6, "Q5_0", 32, 22, q5_0],
  [7, "Q5_1", 32, 24, q5_1],
  [8, "Q8_0", 32, 34, q8_0],
  [9, "Q8_1", 32, 40],
  [10, "Q2_K", 256, 84, q2K],
  [11, "Q3_K", 256, 110, q3K],
  [12, "Q4_K", 256, 144, q4K],
  [13, "Q5_K", 256, 176, q5K],
  [14, "Q6_K", 256, 210, q6K],
  [15, "Q8_K", 256, 292],
  [16, "IQ2_XXS", 256, 66],
  [17, "IQ2_XS", 256, 74],
  [18, "IQ3_XXS", 256, 98],
  [19, "IQ1_S", 256, 50],
  [20, "IQ4_NL", 32, 18, iq4Nl],
  [21, "IQ3_S", 256, 110],
  [22, "IQ2_S", 256, 82],
  [23, "IQ4_XS", 256, 136, iq4Xs],
  [24, "I8", 1, 1],
  [25, "I16", 1, 2],
  [26, "I32", 1, 4],
  [27, "I64", 1, 8],
  [28, "F64", 1, 8, (blocks, out) => out.set(new Float64Array(blocks.buffer, blocks.byteOffset, out.length))],
  [29, "IQ1_M", 256, 56],
  [30, "BF16", 1, 2, (blocks, out) => bf16ToF32(wordsOf(blocks), out)],
  [34, "TQ1_0", 256, 54],
  [35, "TQ2_0", 256, 66],
  [39, "MXFP4", 32, 17],
  [40, "NVFP4", 64, 36],
  [41, "Q1_0", 128, 18],
];

const BY_ID: ReadonlyMap<number, GgufType> = new Map(
  TABLE.map(([id, name, blockElements, blockBytes, dequantise = null]) => {
    return [id, { id, name, blockElements, blockBytes, dequantise }];
  }),
);

/** Names of the types that are read. */
export const READABLE_TYPES: readonly string[] = [...BY_ID.values()].flatMap(({ name, dequantise }) =>
  dequantise ? [name] : [],
);

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
