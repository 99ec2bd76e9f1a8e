import type { HeadKind, ModelConfig } from "./model.js";
import type { TensorSpec } from "./safetensors-writer.js";

/** Names of a family's modules by role, without `.weight` and `.bias`. */
export interface ParameterNames {
  /** Prefix of everything below the head; files of the bare model leave it out. */
  readonly base: string;
  readonly embedding: string;
  /** Table of learned positions, [positions, hidden]. */
  readonly positions?: string;
  /** Prefix of the layers, before their numbers. */
  readonly layers: string;
  readonly layer: LayerNames;
  readonly finalNorm: string;
  readonly heads: Readonly<Record<HeadKind, string>>;
}

/** Modules of one layer, in the order of computation. */
export interface LayerNames {
  readonly attentionNorm: string;
  /** Three projections, or one whose outputs are the three one after the other. */
  readonly qkv: readonly [query: string, key: string, value: string] | string;
  /** Norms of each head's queries and keys. */
  readonly queryNorm?: string;
  readonly keyNorm?: string;
  readonly attentionOut: string;
  /** Norm of what attention adds to the residual stream. */
  readonly attentionOutNorm?: string;
  readonly mlpNorm: string;
  /** Absent: the activation is taken of `up` alone. */
  readonly gate?: string;
  readonly up: string;
  readonly down: string;
  /** Norm of what the MLP adds to the residual stream. */
  readonly mlpOutNorm?: string;
}

/** What a parameter is for; random weights depend on it. */
export type ParameterRole =
  | "embedding"
  | "positions"
  | "norm"
  | "bias"
  | "linear"
  /** A linear map that writes into the residual stream. */
  | "residual"
  | "head"
  | "headBias";

export interface ParameterSpec extends TensorSpec {
  readonly role: ParameterRole;
}

/** Full names of the modules of one layer. */
export function layerNames({ names }: Pick<ModelConfig, "names">, layer: number): LayerNames {
  const full = (name: string) => `${names.layers}.${layer}.${name}`;
  const entries = Object.entries(names.layer).map(([role, name]: [string, string | readonly string[]]) => {
    return [role, typeof name === "string" ? full(name) : name.map(full)] as const;
  });
  return Object.fromEntries(entries) as unknown as LayerNames;
}

export const weightOf = (module: string) => `${module}.weight`;
export const biasOf = (module: string) => `${module}.bias`;

/** The embedding of tokens, [vocab, hidden]. */
export function embeddingName({ names }: Pick<ModelConfig, "names">): string {
  return weightOf(names.embedding);
}

/** The head's matrix, [headSize, hidden]; the embedding where they are tied. */
export function headName(config: Pick<ModelConfig, "names" | "head" | "tieWordEmbeddings">): string {
  const isTied = config.head === "languageModel" && config.tieWordEmbeddings;
  return isTied ? embeddingName(config) : weightOf(config.names.heads[config.head]);
}

/** Whether a parameter may be missing from a model's files: a value or score head is put on a language model and trained. */
export function isNewHead({ head }: Pick<ModelConfig, "head">, { role }: ParameterSpec): boolean {
  return head !== "languageModel" && (role === "head" || role === "headBias");
}

/**
 * Every parameter of the model under its Hugging Face name, in the order of computation. A linear layer's weight is
 * [outputs, inputs] unless the model stores them transposed. A tied head is not listed: it is the embedding.
 */
export function parameterSpecs(config: ModelConfig): ParameterSpec[] {
  const { hiddenSize: D, intermediateSize: F, headDim, numHeads, numKvHeads, names, biases } = config;
  const query = numHeads * headDim;
  const keyValue = numKvHeads * headDim;
  const specs: ParameterSpec[] = [];
  const norm = (module: string | undefined, width: number) => {
    if (module === undefined) return;
    specs.push({ name: weightOf(module), shape: [width], role: "norm" });
    if (config.norm.kind === "layer") specs.push({ name: biasOf(module), shape: [width], role: "bias" });
  };
  const linear = (
    module: string,
    [outputs, inputs]: readonly [number, number],
    hasBias: boolean,
    role: ParameterRole,
  ) => {
    const shape = config.transposedWeights ? [inputs, outputs] : [outputs, inputs];
    specs.push({ name: weightOf(module), shape, role });
    if (hasBias) specs.push({ name: biasOf(module), shape: [outputs], role: "bias" });
  };

  specs.push({ name: weightOf(names.embedding), shape: [config.vocabSize, D], role: "embedding" });
  if (names.positions !== undefined) {
    specs.push({ name: weightOf(names.positions), shape: [config.maxPositions, D], role: "positions" });
  }
  for (let layer = 0; layer < config.numLayers; layer++) {
    const module = layerNames(config, layer);
    norm(module.attentionNorm, D);
    if (typeof module.qkv === "string") {
      linear(module.qkv, [query + 2 * keyValue, D], biases.qkv, "linear");
    } else {
      module.qkv.forEach((name, i) => {
        linear(name, [i === 0 ? query : keyValue, D], biases.qkv, "linear");
      });
    }
    norm(module.queryNorm, headDim);
    norm(module.keyNorm, headDim);
    linear(module.attentionOut, [D, query], biases.attentionOut, "residual");
    norm(module.attentionOutNorm, D);
    norm(module.mlpNorm, D);
    if (module.gate !== undefined) linear(module.gate, [F, D], biases.mlp, "linear");
    linear(module.up, [F, D], biases.mlp, "linear");
    linear(module.down, [D, F], biases.mlp, "residual");
    norm(module.mlpOutNorm, D);
  }
  norm(names.finalNorm, D);
  const head = headName(config);
  if (head !== embeddingName(config)) specs.push({ name: head, shape: [config.headSize, D], role: "head" });
  if (config.headBias)
    specs.push({ name: biasOf(names.heads[config.head]), shape: [config.headSize], role: "headBias" });
  return specs;
}
