/**
 * A batch in blocks of whole rows. Shares of a loss add up over rows, so the tape may take them block by block: its arrays
 * then stay in the processor's cache, and its time and memory per token do not grow with the batch.
 */
import { type LossInput, type LossScope, type OutputName, outputExtent } from "./algebra.js";

/** Tokens of a block, more only where a single row (or pair) has more: some forty arrays of this length are alive. */
const BLOCK = 4096;

export interface LossBlock {
  readonly input: LossInput;
  /** Where the block begins in the whole batch. */
  readonly first: { readonly token: number; readonly sequence: number };
}

/** The batch itself where it is small or its statistics range over more than rows and pairs. */
export function lossBlocks(input: LossInput, scope: LossScope): LossBlock[] {
  const { responseOffsets: offsets } = input;
  const rows = offsets.length - 1;
  if (offsets[rows] <= BLOCK || scope === "group" || scope === "miniBatch")
    return [{ input, first: { token: 0, sequence: 0 } }];
  const step = scope === "pair" ? 2 : 1;
  const blocks: LossBlock[] = [];
  for (let from = 0; from < rows; ) {
    let to = Math.min(from + step, rows);
    while (to < rows && offsets[Math.min(to + step, rows)] - offsets[from] <= BLOCK) to = Math.min(to + step, rows);
    blocks.push({ input: rowsOf(input, from, to), first: { token: offsets[from], sequence: from } });
    from = to;
  }
  return blocks;
}

function rowsOf(input: LossInput, from: number, to: number): LossInput {
  const { responseOffsets: offsets } = input;
  const [start, end] = [offsets[from], offsets[to]];
  const sliced = (data: ArrayLike<number>, extent: "token" | "sequence") =>
    extent === "token" ? part(data, start, end) : part(data, from, to);
  const outputs = Object.entries(input.outputs).map(([name, data]) => [
    name,
    data && sliced(data, outputExtent(name as OutputName)),
  ]);
  const columns = [...input.columns].map(
    ([name, { extent, data }]) => [name, { extent, data: sliced(data, extent) }] as const,
  );
  return {
    outputs: Object.fromEntries(outputs),
    columns: new Map(columns),
    responseMask: part(input.responseMask, start, end),
    responseOffsets: offsets.slice(from, to + 1).map((offset) => offset - start),
    counts: input.counts,
  };
}

function part(data: ArrayLike<number>, from: number, to: number): ArrayLike<number> {
  return ArrayBuffer.isView(data)
    ? (data as unknown as Float64Array).subarray(from, to)
    : Array.prototype.slice.call(data, from, to);
}
