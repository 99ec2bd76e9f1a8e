import type { ModelConfig } from "../../../core/formats/index.js";
import type { GlobalCounts, SequenceBatch } from "../../../core/plugin.js";
import { columnFeed, countFeed, LOSS_FEEDS } from "../graphs/fused-graph.js";
import { type GraphVariant, HEAD_FEEDS, logitFactors } from "../graphs/model-graph.js";
import { LAYOUT_FEEDS, type LayoutKind } from "../models/token-layout.js";
import type { OrtTensor } from "../runtime/index.js";
import type { Scratch } from "./scratch.js";

export type Feeds = Record<string, OrtTensor>;

/** The sizes that decide how a batch is run. */
export interface BatchShape {
  /** B */
  readonly sequences: number;
  /** T: tokens of the longest sequence. */
  readonly longest: number;
  /** Real tokens. */
  readonly tokens: number;
  /** R */
  readonly responseTokens: number;
}

export function batchShape(batch: SequenceBatch): BatchShape {
  let longest = 0;
  for (let b = 0; b < batch.size; b++) longest = Math.max(longest, batch.offsets[b + 1] - batch.offsets[b]);
  const responseTokens = batch.responseOffsets[batch.size];
  return { sequences: batch.size, longest, tokens: batch.offsets[batch.size], responseTokens };
}

/** Feeds that describe the tokens and the rows to score, the ids in row order, and the number of rows with padding for chunks. */
export function tokenFeeds(
  config: ModelConfig,
  batch: SequenceBatch,
  shape: BatchShape,
  variant: GraphVariant,
  scratch: Scratch,
): { feeds: Feeds; rowIds: Int32Array; paddedRows: number } {
  const { sequences, longest } = shape;
  const start = rowStarts(batch, shape, variant.layout);
  const numRows = variant.layout === "packed" ? shape.tokens : sequences * longest;
  const feeds: Feeds = {};

  const ids = scratch.int32("ids", [numRows]);
  feeds[LAYOUT_FEEDS.ids] = ids;
  if (variant.layout === "packed") {
    ids.data.set(batch.inputIds.subarray(0, shape.tokens));
    const grid = scratch.int32("grid", [sequences, longest]);
    const cells = scratch.int32("cells", [numRows]);
    grid.data.fill(shape.tokens);
    for (let b = 0; b < sequences; b++) {
      const length = batch.offsets[b + 1] - batch.offsets[b];
      for (let t = 0; t < length; t++) {
        grid.data[b * longest + t] = start[b] + t;
        cells.data[start[b] + t] = b * longest + t;
      }
    }
    feeds[LAYOUT_FEEDS.grid] = grid;
    feeds[LAYOUT_FEEDS.cells] = cells;
  } else {
    ids.data.fill(0);
    for (let b = 0; b < sequences; b++) {
      ids.data.set(batch.inputIds.subarray(batch.offsets[b], batch.offsets[b + 1]), start[b]);
    }
    // Only the shape is read.
    feeds[LAYOUT_FEEDS.grid] = scratch.over([sequences, longest], ids.data);
  }

  const scored = scoredRows(config, batch, start);
  const padded = Math.ceil(scored.length / variant.chunks) * variant.chunks;
  const rows = scratch.int32("response_rows", [padded]);
  const inverse = scratch.int32("response_inverse", [numRows]);
  rows.data.fill(0);
  rows.data.set(scored);
  inverse.data.fill(padded);
  scored.forEach((row, r) => {
    inverse.data[row] = r;
  });
  feeds[HEAD_FEEDS.rows] = rows;
  feeds[HEAD_FEEDS.inverse] = inverse;
  if (config.head === "languageModel") {
    const targets = scratch.int32("targets", [padded]);
    targets.data.fill(0);
    for (let b = 0; b < sequences; b++) {
      const response = batch.inputIds.subarray(batch.offsets[b] + batch.promptLengths[b], batch.offsets[b + 1]);
      targets.data.set(response, batch.responseOffsets[b]);
    }
    const { rowFactor, capFactor } = logitFactors(config, batch.temperature);
    feeds[HEAD_FEEDS.targets] = targets;
    feeds[HEAD_FEEDS.rowFactor] = scratch.scalar(HEAD_FEEDS.rowFactor, rowFactor);
    feeds[HEAD_FEEDS.capFactor] = scratch.scalar(HEAD_FEEDS.capFactor, capFactor);
  }
  return { feeds, rowIds: ids.data, paddedRows: padded };
}

/** Rows that the head works on: those before response tokens, or each sequence's last. */
function scoredRows({ head }: ModelConfig, batch: SequenceBatch, start: Int32Array): Int32Array {
  if (head === "scores") return start.map((first, b) => first + batch.offsets[b + 1] - batch.offsets[b] - 1);
  const rows = new Int32Array(batch.responseOffsets[batch.size]);
  for (let b = 0; b < batch.size; b++) {
    const first = start[b] + batch.promptLengths[b] - 1 - batch.responseOffsets[b];
    for (let r = batch.responseOffsets[b]; r < batch.responseOffsets[b + 1]; r++) rows[r] = first + r;
  }
  return rows;
}

/** Feeds of a lowered loss. */
export function lossFeeds(
  batch: SequenceBatch,
  shape: BatchShape,
  counts: GlobalCounts,
  columns: readonly string[],
  scratch: Scratch,
): Feeds {
  const { sequences, responseTokens } = shape;
  const offsets = batch.responseOffsets;
  let longest = 0;
  for (let b = 0; b < sequences; b++) longest = Math.max(longest, offsets[b + 1] - offsets[b]);
  const sequenceOfToken = scratch.int32("sequence_of_token", [responseTokens]);
  const tokensOfSequence = scratch.int32("tokens_of_sequence", [sequences, longest]);
  tokensOfSequence.data.fill(responseTokens);
  for (let b = 0; b < sequences; b++) {
    for (let r = offsets[b], t = 0; r < offsets[b + 1]; r++, t++) {
      sequenceOfToken.data[r] = b;
      tokensOfSequence.data[b * longest + t] = r;
    }
  }
  const feeds: Feeds = {
    [LOSS_FEEDS.mask]: scratch.over([responseTokens], batch.responseMask),
    [LOSS_FEEDS.sequenceOfToken]: sequenceOfToken,
    [LOSS_FEEDS.tokensOfSequence]: tokensOfSequence,
  };
  for (const name of columns) {
    const column = batch.columns.get(name);
    if (column) feeds[columnFeed(name)] = scratch.over([column.data.length], column.data);
  }
  for (const [name, value] of Object.entries(counts)) {
    feeds[countFeed(name as keyof GlobalCounts)] = scratch.scalar(`count:${name}`, value);
  }
  return feeds;
}

function rowStarts(batch: SequenceBatch, shape: BatchShape, layout: LayoutKind): Int32Array {
  const start = new Int32Array(shape.sequences);
  for (let b = 0; b < shape.sequences; b++) start[b] = layout === "packed" ? batch.offsets[b] : b * shape.longest;
  return start;
}
