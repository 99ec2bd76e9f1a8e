import { RandomStream } from "../../core/data/index.js";
import { packSequences, type SequenceBatch } from "../../core/plugin.js";

/** A model's shape; its weights are random. */
export interface ModelShape {
  readonly vocab: number;
  readonly hidden: number;
  readonly layers: number;
  readonly heads: number;
  readonly kvHeads?: number;
  readonly inner: number;
  /** The embedding is the head as well. */
  readonly tied?: boolean;
}

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
  const { vocab, hidden, layers, heads, kvHeads = heads, inner, tied = false } = shape;
  const sequences = Array.from({ length: batch.sequences }, () => {
    const length = batch.ragged ? Math.ceil(batch.length * (0.25 + 0.75 * random.next())) : batch.length;
    return { promptIds: [random.int(vocab)], responseIds: Array.from({ length: length - 1 }, () => random.int(vocab)) };
  });
  const config = {
    model_type: "llama",
    vocab_size: vocab,
    hidden_size: hidden,
    intermediate_size: inner,
    num_hidden_layers: layers,
    num_attention_heads: heads,
    num_key_value_heads: kvHeads,
    head_dim: hidden / heads,
    rms_norm_eps: 1e-5,
    rope_theta: 10000,
    max_position_embeddings: 512,
    tie_word_embeddings: tied,
  };
  return { name, shape, config, batch: packSequences(sequences) };
}

export const SHAPES = {
  tiny: { vocab: 256, hidden: 64, layers: 2, heads: 4, inner: 128 },
  a: { vocab: 512, hidden: 128, layers: 4, heads: 4, inner: 384 },
  b: { vocab: 8192, hidden: 512, layers: 8, heads: 8, inner: 1408 },
  smollm2: { vocab: 49152, hidden: 576, layers: 30, heads: 9, kvHeads: 3, inner: 1536, tied: true },
} as const satisfies Readonly<Record<string, ModelShape>>;

const GRIDS = {
  a: { sequences: 32, length: 64 },
  b: { sequences: 8, length: 128 },
  smollm2: { sequences: 4, length: 256 },
} as const;

/** `a`: 1 M parameters, `b`: 34 M parameters, `smollm2`: the shape of SmolLM2-135M; all with full rows, and with ragged ones. */
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
