import { RandomStream } from "../../../../core/data/index.js";
import { packSequences, type SequenceBatch } from "../../../../core/plugin.js";
import { anyLossInput } from "../../../core/algorithms/loss-cases.js";

/** The batch of {@link anyLossInput}, with every column that a loss reads, as sequences of a model with 11 tokens. */
export function lossBatch(): SequenceBatch {
  const { responseMask, responseOffsets, columns } = anyLossInput();
  const random = new RandomStream(5, "loss-batch");
  const sequences = Array.from({ length: responseOffsets.length - 1 }, (_, b) => {
    const mask = Array.from(responseMask).slice(responseOffsets[b], responseOffsets[b + 1]);
    return { promptIds: [1 + b, 2], responseIds: mask.map(() => random.int(11)), responseMask: mask };
  });
  return packSequences(sequences, {
    columns: [...columns].map(([name, { extent, data }]) => [name, { extent, data: Float32Array.from(data) }] as const),
  });
}
