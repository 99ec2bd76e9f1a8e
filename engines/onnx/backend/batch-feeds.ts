import type { GlobalCounts, SequenceBatch } from "../../../core/plugin.js";
import { columnFeed, countFeed, LOSS_FEEDS } from "../graphs/fused-graph.js";
import { type GraphVariant, HEAD_FEEDS } from "../graphs/model-graph.js";
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

/** Feeds that describe the tokens and the rows to score, the ids in row order, and R padded for the chunks. */
export function tokenFeeds(
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

  const padded = Math.ceil(shape.responseTokens / variant.chunks) * variant.chunks;
  const rows = scratch.int32("response_rows", [padded]);
  const targets = scratch.int32("targets", [padded]);
  const inverse = scratch.int32("response_inverse", [numRows]);
  rows.data.fill(0);
  targets.data.fill(0);
  inverse.data.fill(padded);
  for (let b = 0; b < sequences; b++) {
    const split = batch.promptLengths[b];
    for (let r = batch.responseOffsets[b], t = 0; r < batch.responseOffsets[b + 1]; r++, t++) {
      rows.data[r] = start[b] + split + t - 1;
      targets.data[r] = batch.inputIds[batch.offsets[b] + split + t];
      inverse.data[rows.data[r]] = r;
    }
  }
  const inverseTemperature = scratch.float32("inverse_temperature", []);
  inverseTemperature.data[0] = 1 / batch.temperature;
  feeds[HEAD_FEEDS.rows] = rows;
  feeds[HEAD_FEEDS.targets] = targets;
  feeds[HEAD_FEEDS.inverse] = inverse;
  feeds[HEAD_FEEDS.inverseTemperature] = inverseTemperature;
  return { feeds, rowIds: ids.data, paddedRows: padded };
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
    const scalar = scratch.float32(`count:${name}`, []);
    scalar.data[0] = value;
    feeds[countFeed(name as keyof GlobalCounts)] = scalar;
  }
  return feeds;
}

function rowStarts(batch: SequenceBatch, shape: BatchShape, layout: LayoutKind): Int32Array {
  const start = new Int32Array(shape.sequences);
  for (let b = 0; b < shape.sequences; b++) start[b] = layout === "packed" ? batch.offsets[b] : b * shape.longest;
  return start;
}
