import type { ModelConfig } from "../../../core/formats/index.js";
import type { GraphVariant } from "../graphs/model-graph.js";
import { planAttention } from "./attention-plan.js";
import type { BatchShape } from "./batch-feeds.js";

export interface VariantOptions {
  /** Bytes for [rows, vocabulary] arrays. */
  readonly logitsBytes: number;
  /** Bytes for [heads, queries, keys] arrays. */
  readonly attentionBytes: number;
  /** Share of padding in the grid above which sequences are packed. */
  readonly packAbovePadding: number;
  readonly plainNorms: boolean;
}

/** Arrays of [rows, vocabulary] that are alive at once in the head's backward pass. */
export const LIVE_LOGITS_ARRAYS = 4;

/** Chunks beyond which their products become too small to be fast. */
const MOST_KEPT_CHUNKS = 8;

/** The graph that suits a batch. Chunk counts are powers of two, so that few graphs serve all batches. */
export function chooseVariant(config: ModelConfig, shape: BatchShape, options: VariantOptions): GraphVariant {
  const padding = 1 - shape.tokens / (shape.sequences * shape.longest);
  const layout = padding > options.packAbovePadding ? "packed" : "padded";
  const attention = planAttention(config, shape, options.attentionBytes);
  return { layout, ...chunking(config, shape, options), attention, plainNorms: options.plainNorms };
}

/** The fewest chunks with which the logits fit: kept ones if possible, else computed again. */
function chunking(
  { head, vocabSize, logitSoftcap }: ModelConfig,
  { responseTokens }: BatchShape,
  { logitsBytes }: VariantOptions,
): Pick<GraphVariant, "chunks" | "keepsLogits"> {
  if (head !== "languageModel") return { chunks: 1, keepsLogits: true };
  const all = responseTokens * vocabSize * Float32Array.BYTES_PER_ELEMENT;
  const kept = logitSoftcap === null ? 1 : 2;
  const canHalve = (chunks: number) => chunks * 2 <= responseTokens;
  for (let chunks = 1; chunks <= MOST_KEPT_CHUNKS; chunks *= 2) {
    if (all * (kept + (LIVE_LOGITS_ARRAYS - kept) / chunks) <= logitsBytes) return { chunks, keepsLogits: true };
    if (!canHalve(chunks)) break;
  }
  let chunks = 1;
  while ((all * LIVE_LOGITS_ARRAYS) / chunks > logitsBytes && canHalve(chunks)) chunks *= 2;
  return { chunks, keepsLogits: chunks === 1 };
}
