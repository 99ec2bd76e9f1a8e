import type { ModelConfig } from "../../../core/formats/index.js";
import type { AttentionForm } from "../models/attention.js";

export type AttentionSize = Pick<ModelConfig, "numHeads" | "numLayers" | "layers">;

/** The sequences that attention works on at once. */
export interface AttentionWork {
  readonly sequences: number;
  /** Tokens of the longest one. */
  readonly longest: number;
}

export interface AttentionPlan extends AttentionForm {
  /** Of [sequences, heads, queries, keys] arrays that are alive at once. */
  readonly bytes: number;
}

/** Arrays of a block's [heads, rows, keys] that are alive at once in the backward pass. */
const LIVE_BLOCK_ARRAYS = 4;
const MOST_ROWS = 128;
/** From here on blocks are faster, for they leave out the keys after their queries and stay closer to the caches. */
const LONG = 256;

/**
 * How attention keeps to its memory: all at once while the weights of all layers fit, else, and where sequences are long, a
 * block of queries after the other.
 */
export function planAttention(config: AttentionSize, work: AttentionWork, bytes: number): AttentionPlan {
  const windows = config.layers.some(({ window }) => window !== null && window < work.longest);
  const whole = wholeBytes(config, work);
  if (whole <= bytes && work.longest < LONG) return { rows: null, windows, bytes: whole };
  let rows = blockRows(work);
  while (rows > 1 && blockBytes(config, work, rows) > bytes) rows /= 2;
  return { rows, windows, bytes: blockBytes(config, work, rows) };
}

/** Whether work of several sequences should stay together: cutting it is cheaper than small blocks. */
export function fitsAttention(config: AttentionSize, work: AttentionWork, bytes: number): boolean {
  if (work.longest < LONG) return wholeBytes(config, work) <= bytes;
  return blockBytes(config, work, blockRows(work)) <= bytes;
}

function blockRows({ longest }: AttentionWork): number {
  return Math.min(MOST_ROWS, 2 ** Math.max(0, Math.floor(Math.log2(longest / 4))));
}

function wholeBytes({ numHeads, numLayers }: AttentionSize, { sequences, longest }: AttentionWork): number {
  return sequences * longest ** 2 * numHeads * numLayers * Float32Array.BYTES_PER_ELEMENT;
}

function blockBytes({ numHeads, layers }: AttentionSize, { sequences, longest }: AttentionWork, rows: number): number {
  const queries = Math.min(rows, longest);
  const widest = Math.max(...layers.map(({ window }) => window ?? longest));
  const keys = Math.min(longest, queries + widest - 1);
  return sequences * queries * keys * numHeads * LIVE_BLOCK_ARRAYS * Float32Array.BYTES_PER_ELEMENT;
}
