import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { RandomStream } from "../../core/data/index.js";
import {
  type ModelConfig,
  openModel,
  parameterSpecs,
  parseModelConfig,
  writeHfFolder,
} from "../../core/formats/index.js";
import { configOf, type ModelShape, randomWeights, SHAPES } from "../random-model.js";

/** Prompt of every sequence, and tokens drawn after it: contexts of 128 to 230 tokens. */
export const PROMPT = 128;
export const TOKENS = 102;

/** Random models with an untied head, and a real one. */
export const WORKLOADS = ["a", "b", "smollm2"];

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
    const isRandom = name === "a" || name === "b";
    const source = isRandom ? randomModel(SHAPES[name]) : await modelOf(smollm2);
    await writeHfFolder(folder, { ...source, tokenizerFiles: null, dtype: "f32" });
    const { config } = source;
    return {
      name,
      folder,
      gguf: isRandom ? null : (smollm2 ?? null),
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

/** All matrices but an embedding that is not the head as well. */
function readPerToken(config: ModelConfig): number {
  const read = parameterSpecs(config).filter(({ role }) => role !== "embedding" || config.tieWordEmbeddings);
  return read.reduce((sum, { shape }) => sum + 4 * shape.reduce((n, d) => n * d, 1), 0);
}

function plainConfig(config: ModelConfig): Record<string, unknown> {
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

function randomModel(shape: ModelShape) {
  const config = parseModelConfig(configOf(shape));
  return { config, tensors: randomWeights(config) };
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
