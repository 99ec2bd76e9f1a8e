import { type LossScope, type OutputName, outputExtent } from "../algorithms/algebra.js";
import { planMicroBatches } from "../algorithms/micro-batches.js";
import { type SequenceBatch, selectSequences } from "../data/batch/sequence-batch.js";
import type { EngineBackend } from "./backend.js";
import type { BatchOptions, ModelOutputs } from "./engine.js";
import { engineErrors } from "./errors.js";

export interface MicroBatch {
  readonly batch: SequenceBatch;
  /** Its sequences in the batch that was split. */
  readonly rows: readonly number[];
}

/**
 * Split a batch: under a token budget that holds for every part (a longer sequence is an error), or into parts of so many
 * sequences, or not at all; then as the backend wishes. Sequences of a pair stay together.
 */
export function splitBatch(
  batch: SequenceBatch,
  options: Pick<BatchOptions, "maxTokensPerMicroBatch" | "microBatchSize">,
  scope: LossScope = "token",
  backend: Pick<EngineBackend, "partition"> = {},
): MicroBatch[] {
  if (batch.size === 0) return [];
  const groupSize = groupSizeOf(scope);
  return planRows(batch, options, groupSize)
    .map((rows) => selectRows(batch, rows))
    .flatMap((part) => {
      const cuts = backend.partition?.(part.batch, groupSize) ?? [];
      return cuts.length <= 1
        ? [part]
        : cuts.map((rows) =>
            selectRows(
              batch,
              rows.map((b) => part.rows[b]),
            ),
          );
    });
}

/** Consecutive sequences that a loss of this scope keeps together. */
export function groupSizeOf(scope: LossScope): number {
  return scope === "pair" ? 2 : 1;
}

/** Some rows of a batch; the batch itself where they are all of it in order. */
export function selectRows(batch: SequenceBatch, rows: readonly number[]): MicroBatch {
  const all = rows.length === batch.size && rows.every((row, b) => row === b);
  return { batch: all ? batch : selectSequences(batch, rows), rows };
}

function planRows(
  batch: SequenceBatch,
  {
    maxTokensPerMicroBatch: maxTokens,
    microBatchSize,
  }: Pick<BatchOptions, "maxTokensPerMicroBatch" | "microBatchSize">,
  groupSize: number,
): readonly (readonly number[])[] {
  if (maxTokens !== undefined) {
    const lengths = Int32Array.from({ length: batch.size }, (_, b) => batch.offsets[b + 1] - batch.offsets[b]);
    return planMicroBatches(lengths, { maxTokens, groupSize });
  }
  if (microBatchSize === undefined) return [Array.from({ length: batch.size }, (_, b) => b)];
  if (!Number.isInteger(microBatchSize) || microBatchSize < 1 || microBatchSize % groupSize !== 0) {
    throw engineErrors.VERL_ENGINE_BAD_BATCH({
      what: `a micro-batch of ${microBatchSize} sequences is not possible`,
      why: groupSize > 1 ? `the loss compares ${groupSize} consecutive sequences, which stay together` : undefined,
    });
  }
  const parts: number[][] = [];
  for (let start = 0; start < batch.size; start += microBatchSize) {
    const end = Math.min(batch.size, start + microBatchSize);
    parts.push(Array.from({ length: end - start }, (_, i) => start + i));
  }
  return parts;
}

/** Put a part's outputs at their places in outputs of the whole batch, which are made on first use. */
export function mergeOutputs(whole: ModelOutputs, batch: SequenceBatch, part: MicroBatch, outputs: ModelOutputs): void {
  for (const name of Object.keys(outputs) as OutputName[]) {
    const from = outputs[name] as Float32Array;
    const width = widthOf(name, from, part.batch);
    const to = whole[name] ?? new Float32Array(rangeOf(batch, batch.size - 1, width)[1]);
    whole[name] = to;
    part.rows.forEach((row, b) => {
      to.set(from.subarray(...rangeOf(part.batch, b, width)), rangeOf(batch, row, width)[0]);
    });
  }
}

/** A part's share of outputs, or of their gradients, of the whole batch. */
export function selectOutputs(whole: ModelOutputs, batch: SequenceBatch, part: MicroBatch): ModelOutputs {
  const share: ModelOutputs = {};
  for (const name of Object.keys(whole) as OutputName[]) {
    const from = whole[name] as Float32Array;
    const width = widthOf(name, from, batch);
    const to = new Float32Array(rangeOf(part.batch, part.batch.size - 1, width)[1]);
    part.rows.forEach((row, b) => {
      to.set(from.subarray(...rangeOf(batch, row, width)), rangeOf(part.batch, b, width)[0]);
    });
    share[name] = to;
  }
  return share;
}

/** Numbers per sequence; null for an output with one per response token. */
function widthOf(name: OutputName, values: Float32Array, { size }: SequenceBatch): number | null {
  return outputExtent(name) === "sequence" ? values.length / size : null;
}

/** Where a sequence's numbers lie in an output. */
function rangeOf({ responseOffsets }: SequenceBatch, b: number, width: number | null): [start: number, end: number] {
  return width === null ? [responseOffsets[b], responseOffsets[b + 1]] : [b * width, (b + 1) * width];
}
