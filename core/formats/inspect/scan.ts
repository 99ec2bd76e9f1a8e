import type { ScannedTensor } from "./weight-inspection.js";

/** What a look at the values found. */
export interface ScanResult {
  /** Bytes that were looked at, and that there are. */
  readonly bytes: number;
  readonly totalBytes: number;
  /** Every value was looked at; otherwise the time was up. */
  readonly isComplete: boolean;
  readonly notFinite: readonly {
    readonly name: string;
    readonly where: string;
    readonly count: number;
    /** Position in the tensor. */
    readonly first: number;
  }[];
  /** Matrices all of whose values are 0, of those that were looked at in full. */
  readonly zero: readonly string[];
}

interface Progress {
  pieces: number;
  notFinite: number;
  first: number;
  hasNonZero: boolean;
}

/**
 * Looks for values that are NaN or infinite, a piece at a time and no longer than it is given: at the beginning of every tensor first,
 * so that a model that is broken altogether is found whatever its size, and then at the rest.
 */
export async function scanWeights(
  tensors: readonly ScannedTensor[],
  { seconds, signal }: { readonly seconds: number; readonly signal?: AbortSignal },
): Promise<ScanResult> {
  const deadline = performance.now() + 1000 * seconds;
  const seen = new Map<ScannedTensor, Progress>();
  let elements = 0;
  let bytes = 0;
  const look = async (tensor: ScannedTensor, index: number) => {
    const values = await tensor.look(index);
    const progress = seen.get(tensor) ?? { pieces: 0, notFinite: 0, first: -1, hasNonZero: false };
    seen.set(tensor, progress);
    if (progress.first < 0 && values.first >= 0) progress.first = index * tensor.pieceElements + values.first;
    progress.pieces++;
    progress.notFinite += values.notFinite;
    progress.hasNonZero ||= values.hasNonZero;
    elements += values.elements;
    bytes += (values.elements / tensor.elements) * tensor.bytes;
  };
  const piecesOf = ({ elements: all, pieceElements }: ScannedTensor) => Math.ceil(all / pieceElements);
  for (const isFirst of [true, false]) {
    for (const tensor of tensors) {
      for (let index = isFirst ? 0 : 1; index < (isFirst ? Math.min(1, piecesOf(tensor)) : piecesOf(tensor)); index++) {
        signal?.throwIfAborted();
        if (performance.now() >= deadline) break;
        await look(tensor, index);
      }
    }
  }
  const all = [...seen];
  return {
    bytes: Math.round(bytes),
    totalBytes: tensors.reduce((sum, tensor) => sum + tensor.bytes, 0),
    isComplete: elements === tensors.reduce((sum, tensor) => sum + tensor.elements, 0),
    notFinite: all.flatMap(([{ name, where }, { notFinite: count, first }]) =>
      count > 0 ? [{ name, where, count, first }] : [],
    ),
    zero: all.flatMap(([tensor, { pieces, hasNonZero }]) =>
      tensor.isMatrix && !hasNonZero && pieces === piecesOf(tensor) ? [tensor.name] : [],
    ),
  };
}
