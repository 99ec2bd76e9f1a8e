import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { RandomStream } from "../../core/data/index.js";
import { openModel, parameterSpecs, parseModelConfig, writeHfFolder } from "../../core/formats/index.js";
import type { NamedTensor } from "../../core/plugin.js";
import { fillInitialWeights } from "../../engines/onnx/models/initial-weights.js";

/** Prompt of every sequence, and tokens drawn after it: contexts of 128 to 230 tokens. */
export const PROMPT = 128;
export const TOKENS = 102;

interface Shape {
  readonly vocab: number;
  readonly hidden: number;
  readonly layers: number;
  readonly heads: number;
  readonly inner: number;
}

/** Random models with an untied head: `a` has 1 M parameters, `b` 34 M. */
const SHAPES: Readonly<Record<string, Shape>> = {
  a: { vocab: 512, hidden: 128, layers: 4, heads: 4, inner: 384 },
  b: { vocab: 8192, hidden: 512, layers: 8, heads: 8, inner: 1408 },
};

export const WORKLOADS = [...Object.keys(SHAPES), "smollm2"];

/** A model as each contender wants it. */
export interface Model {
  readonly name: string;
  /** Hugging Face folder in float32. */
  readonly folder: string;
  /** The file that it was read from, if that is GGUF. */
  readonly gguf: string | null;
  readonly config: Readonly<Record<string, unknown>>;
  readonly vocabSize: number;
  /** Bytes of the matrices that one decoded token has to read. */
  readonly bytesPerToken: number;
  remove(): Promise<void>;
}

/** Put a model's folder in place; `smollm2` is read from a GGUF file. */
export async function makeModel(name: string, smollm2: string | undefined): Promise<Model> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "verl-decode-"));
  const remove = () => rm(folder, { recursive: true });
  try {
    const source = name in SHAPES ? randomModel(SHAPES[name]) : await modelOf(smollm2);
    await writeHfFolder(folder, { ...source, tokenizerFiles: null, dtype: "f32" });
    const { config } = source;
    return {
      name,
      folder,
      gguf: name in SHAPES ? null : (smollm2 ?? null),
      config: plainConfig(config),
      vocabSize: config.vocabSize,
      bytesPerToken: readPerToken(config),
      remove,
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

type Config = ReturnType<typeof parseModelConfig>;

/** All matrices but an embedding that is not the head as well. */
function readPerToken(config: Config): number {
  const read = parameterSpecs(config).filter(({ role }) => role !== "embedding" || config.tieWordEmbeddings);
  return read.reduce((sum, { shape }) => sum + 4 * shape.reduce((n, d) => n * d, 1), 0);
}

function plainConfig(config: Config): Record<string, unknown> {
  return {
    vocab_size: config.vocabSize,
    num_hidden_layers: config.numLayers,
    num_attention_heads: config.numHeads,
    num_key_value_heads: config.numKvHeads,
    head_dim: config.headDim,
    rms_norm_eps: config.norm.epsilon,
    rope_theta: config.raw.rope_theta,
    max_position_embeddings: 512,
  };
}

function randomModel({ vocab, hidden, layers, heads, inner }: Shape) {
  const config = parseModelConfig({
    model_type: "llama",
    vocab_size: vocab,
    hidden_size: hidden,
    intermediate_size: inner,
    num_hidden_layers: layers,
    num_attention_heads: heads,
    num_key_value_heads: heads,
    head_dim: hidden / heads,
    rms_norm_eps: 1e-5,
    rope_theta: 10000,
    max_position_embeddings: 512,
    tie_word_embeddings: false,
  });
  const tensors = (function* (): Generator<NamedTensor> {
    for (const spec of parameterSpecs(config)) {
      const data = new Float32Array(spec.shape.reduce((n, d) => n * d, 1));
      fillInitialWeights(config, 1, spec, data);
      yield { name: spec.name, shape: spec.shape, dtype: "f32", data };
    }
  })();
  return { config, tensors };
}

async function modelOf(file: string | undefined) {
  if (!file) throw new Error("the workload smollm2 needs --smollm2 FILE; scripts/fetch-smollm2.mjs prints one");
  const model = await openModel(file);
  const tensors = (async function* () {
    for (const { name } of model.tensors) yield await model.readTensor(name);
    await model.close();
  })();
  return { config: model.config, tensors };
}

/** Prompts of random tokens, other ones in every round. */
export function prompts({ vocabSize }: Model, batch: number, round: number): number[][] {
  const random = new RandomStream(round, "prompts");
  return Array.from({ length: batch }, () => Array.from({ length: PROMPT }, () => random.int(vocabSize)));
}
