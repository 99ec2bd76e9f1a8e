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

/** The graph that suits a batch. Chunk counts are powers of two, so that few graphs serve all batches. */
export function chooseVariant(config: ModelConfig, shape: BatchShape, options: VariantOptions): GraphVariant {
  const padding = 1 - shape.tokens / (shape.sequences * shape.longest);
  const rows = config.head === "languageModel" ? shape.responseTokens : 0;
  const bytes = rows * config.vocabSize * Float32Array.BYTES_PER_ELEMENT * LIVE_LOGITS_ARRAYS;
  let chunks = 1;
  while (bytes / chunks > options.logitsBytes && chunks * 2 <= shape.responseTokens) chunks *= 2;
  const layout = padding > options.packAbovePadding ? "packed" : "padded";
  const { rows: attentionRows } = planAttention(config, shape, options.attentionBytes);
  return { layout, chunks, attentionRows, plainNorms: options.plainNorms };
}
