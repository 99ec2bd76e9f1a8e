import { RandomStream } from "../../core/data/index.js";
import { packSequences, type SequenceBatch } from "../../core/plugin.js";

export interface Workload {
  readonly name: string;
  /** In the form of Hugging Face's `config.json`. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly batch: SequenceBatch;
}

function workload(
  name: string,
  model: { vocab: number; hidden: number; layers: number; heads: number; kvHeads?: number; inner: number },
  shape: { sequences: number; length: number; ragged?: boolean },
): Workload {
  const random = new RandomStream(1, name);
  const { vocab, hidden, layers, heads, kvHeads = heads, inner } = model;
  const sequences = Array.from({ length: shape.sequences }, () => {
    const length = shape.ragged ? Math.ceil(shape.length * (0.25 + 0.75 * random.next())) : shape.length;
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
    tie_word_embeddings: false,
  };
  return { name, config, batch: packSequences(sequences) };
}

const SMALL = { vocab: 512, hidden: 128, layers: 4, heads: 4, inner: 384 };
const MEDIUM = { vocab: 8192, hidden: 512, layers: 8, heads: 8, inner: 1408 };

/** `a`: 1 M parameters, `b`: 34 M parameters, both with full rows; `r`: `b` with sequences of 32 to 128 tokens. */
export const WORKLOADS: readonly Workload[] = [
  workload("a", SMALL, { sequences: 32, length: 64 }),
  workload("b", MEDIUM, { sequences: 8, length: 128 }),
  workload("r", MEDIUM, { sequences: 8, length: 128, ragged: true }),
];

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
