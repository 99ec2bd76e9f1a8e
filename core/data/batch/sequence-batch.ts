import type { PlacedMedia } from "../media/media.js";
import type { MediaInputs } from "../media/processor.js";

/** A medium in a sequence, with what the model computes from in place of its tokens' embeddings. */
export interface SequenceMedia extends PlacedMedia {
  readonly inputs: MediaInputs;
}

/**
 * The ragged batch of token sequences on which engines and losses work.
 *
 * Sequence `b` occupies `inputIds[offsets[b] .. offsets[b + 1])`; its first `promptLengths[b]` tokens are the prompt and
 * the rest is the response. Everything per token that an engine returns or a loss reads covers the **response only**, in
 * one flat array of length R = sum of response lengths: entry `responseOffsets[b] + t` belongs to response token t of
 * sequence b. There is no shift to remember: `logProb[r]` scores the response token at r given everything before it.
 */
export interface SequenceBatch {
  /** Number of sequences, B. */
  readonly size: number;
  /** Token ids of all sequences back to back, [N]. */
  readonly inputIds: Int32Array;
  /** Start of each sequence in `inputIds`, and N at the end, [B + 1]. */
  readonly offsets: Int32Array;
  /** Length of each prompt, at least 1, [B]. */
  readonly promptLengths: Int32Array;
  /** Start of each response in per-token arrays, and R at the end, [B + 1]. */
  readonly responseOffsets: Int32Array;
  /** 1 for response tokens that count (sampled by the policy and not rejected), else 0, [R]. */
  readonly responseMask: Float32Array;
  /** Softmax temperature under which log-probabilities and entropies are taken; > 0. */
  readonly temperature: number;
  /** Constants that losses read, by name. */
  readonly columns: ReadonlyMap<string, Column>;
  /** Media of each sequence in their order, with offsets from its first token, [B]; absent where no sequence has any. */
  readonly media?: readonly (readonly SequenceMedia[])[];
  /**
   * Positions on the axes of a model with rotary embeddings in several dimensions, [A, T] row-major for each sequence, [B]; null for
   * one without media, whose tokens count 0, 1, 2, … on every axis. Absent where the processor gives none.
   */
  readonly positions?: readonly (Int32Array | null)[];
}

/** A constant of a loss: one number per response token ([R]) or one per sequence ([B]). */
export interface Column {
  readonly extent: "token" | "sequence";
  readonly data: Float32Array;
}

/** One sequence as lists, the convenient form to build batches from. */
export interface SequenceInput {
  readonly promptIds: ArrayLike<number>;
  readonly responseIds: ArrayLike<number>;
  /** Defaults to all ones. Same length as `responseIds`. */
  readonly responseMask?: ArrayLike<number>;
}

/** Pack sequences into one ragged batch. Column data must already be flat in the same order. */
export function packSequences(
  sequences: readonly SequenceInput[],
  options: { temperature?: number; columns?: Iterable<readonly [string, Column]> } = {},
): SequenceBatch {
  const size = sequences.length;
  const offsets = new Int32Array(size + 1);
  const responseOffsets = new Int32Array(size + 1);
  const promptLengths = new Int32Array(size);
  sequences.forEach((s, b) => {
    promptLengths[b] = s.promptIds.length;
    offsets[b + 1] = offsets[b] + s.promptIds.length + s.responseIds.length;
    responseOffsets[b + 1] = responseOffsets[b] + s.responseIds.length;
  });
  const inputIds = new Int32Array(offsets[size]);
  const responseMask = new Float32Array(responseOffsets[size]);
  sequences.forEach((s, b) => {
    inputIds.set(s.promptIds, offsets[b]);
    inputIds.set(s.responseIds, offsets[b] + s.promptIds.length);
    if (s.responseMask) responseMask.set(s.responseMask, responseOffsets[b]);
    else responseMask.fill(1, responseOffsets[b], responseOffsets[b + 1]);
  });
  return {
    size,
    inputIds,
    offsets,
    promptLengths,
    responseOffsets,
    responseMask,
    temperature: options.temperature ?? 1,
    columns: new Map(options.columns ?? []),
  };
}

/** The sequences with the given indices, in that order, with their share of every column (copies). */
export function selectSequences(batch: SequenceBatch, indices: ArrayLike<number>): SequenceBatch {
  const list = Array.from(indices);
  const sequences = list.map((b) => sequenceAt(batch, b));
  const columns = [...batch.columns].map(([name, column]): [string, Column] => {
    if (column.extent === "sequence") {
      return [name, { extent: "sequence", data: Float32Array.from(list, (b) => column.data[b]) }];
    }
    const data = new Float32Array(sequences.reduce((n, s) => n + s.responseIds.length, 0));
    let at = 0;
    for (const b of list) {
      const part = column.data.subarray(batch.responseOffsets[b], batch.responseOffsets[b + 1]);
      data.set(part, at);
      at += part.length;
    }
    return [name, { extent: "token", data }];
  });
  const packed = packSequences(sequences, { temperature: batch.temperature, columns });
  const { media, positions } = batch;
  return {
    ...packed,
    ...(media ? { media: list.map((b) => media[b]) } : {}),
    ...(positions ? { positions: list.map((b) => positions[b]) } : {}),
  };
}

/** Views of one sequence of the batch; they share the batch's memory. */
export function sequenceAt(
  batch: SequenceBatch,
  b: number,
): Required<SequenceInput> & { responseIds: Int32Array; promptIds: Int32Array; responseMask: Float32Array } {
  const start = batch.offsets[b];
  const split = start + batch.promptLengths[b];
  return {
    promptIds: batch.inputIds.subarray(start, split),
    responseIds: batch.inputIds.subarray(split, batch.offsets[b + 1]),
    responseMask: batch.responseMask.subarray(batch.responseOffsets[b], batch.responseOffsets[b + 1]),
  };
}
