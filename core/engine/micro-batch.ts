import type { LossScope } from "../algorithms/algebra.js";
import { planMicroBatches } from "../algorithms/micro-batches.js";
import { type SequenceBatch, selectSequences } from "../data/sequence-batch.js";
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
  const groupSize = scope === "pair" ? 2 : 1;
  return planRows(batch, options, groupSize)
    .map((rows) => select(batch, rows))
    .flatMap((part) => {
      const cuts = backend.partition?.(part.batch, groupSize) ?? [];
      return cuts.length <= 1
        ? [part]
        : cuts.map((rows) =>
            select(
              batch,
              rows.map((b) => part.rows[b]),
            ),
          );
    });
}

function select(batch: SequenceBatch, rows: readonly number[]): MicroBatch {
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
  for (const name of Object.keys(outputs) as (keyof ModelOutputs)[]) {
    const from = outputs[name] as Float32Array;
    const to = whole[name] ?? new Float32Array(batch.responseOffsets[batch.size]);
    whole[name] = to;
    part.rows.forEach((row, b) => {
      const values = from.subarray(part.batch.responseOffsets[b], part.batch.responseOffsets[b + 1]);
      to.set(values, batch.responseOffsets[row]);
    });
  }
}

/** A part's share of outputs, or of their gradients, of the whole batch. */
export function selectOutputs(whole: ModelOutputs, batch: SequenceBatch, part: MicroBatch): ModelOutputs {
  const share: ModelOutputs = {};
  for (const name of Object.keys(whole) as (keyof ModelOutputs)[]) {
    const from = whole[name] as Float32Array;
    const to = new Float32Array(part.batch.responseOffsets[part.batch.size]);
    part.rows.forEach((row, b) => {
      const values = from.subarray(batch.responseOffsets[row], batch.responseOffsets[row + 1]);
      to.set(values, part.batch.responseOffsets[b]);
    });
    share[name] = to;
  }
  return share;
}
