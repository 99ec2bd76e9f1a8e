import { RandomStream } from "../../core/data/index.js";
import { packSequences, type SequenceBatch } from "../../core/plugin.js";
import { configOf, type ModelShape, SHAPES } from "../random-model.js";

export interface Workload {
  readonly name: string;
  readonly shape: ModelShape;
  /** In the form of Hugging Face's `config.json`. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly batch: SequenceBatch;
}

export interface BatchShape {
  readonly sequences: number;
  readonly length: number;
  /** Lengths from a quarter of it upwards instead of all alike. */
  readonly ragged?: boolean;
}

/** A workload; `seed` draws other lengths and tokens. */
export function workload(name: string, shape: ModelShape, batch: BatchShape, seed = 1): Workload {
  const random = new RandomStream(seed, name);
  const { vocab } = shape;
  const sequences = Array.from({ length: batch.sequences }, () => {
    const length = batch.ragged ? Math.ceil(batch.length * (0.25 + 0.75 * random.next())) : batch.length;
    return { promptIds: [random.int(vocab)], responseIds: Array.from({ length: length - 1 }, () => random.int(vocab)) };
  });
  return { name, shape, config: configOf(shape), batch: packSequences(sequences) };
}

const GRIDS = {
  a: { sequences: 32, length: 64 },
  b: { sequences: 8, length: 128 },
  smollm2: { sequences: 4, length: 256 },
} as const;

/** Each shape with full rows, and with ragged ones. */
export const WORKLOADS: readonly Workload[] = (["a", "b", "smollm2"] as const).flatMap((name) => [
  workload(name, SHAPES[name], GRIDS[name]),
  workload(`${name}-ragged`, SHAPES[name], { ...GRIDS[name], ragged: true }),
]);

/** The batch as PyTorch takes it: padded ids, and the flat rows that predict each response token. */
export function paddedForm(batch: SequenceBatch): { ids: number[][]; rows: number[]; targets: number[] } {
  const lengths = Array.from({ length: batch.size }, (_, b) => batch.offsets[b + 1] - batch.offsets[b]);
  const longest = Math.max(...lengths);
  const [rows, targets]: [number[], number[]] = [[], []];
  const ids = lengths.map((length, b) => {
    const tokens = [...batch.inputIds.subarray(batch.offsets[b], batch.offsets[b + 1])];
    for (let t = batch.promptLengths[b]; t < length; t++) {
      rows.push(b * longest + t - 1);
      targets.push(tokens[t]);
    }
    return [...tokens, ...Array<number>(longest - length).fill(0)];
  });
  return { ids, rows, targets };
}
