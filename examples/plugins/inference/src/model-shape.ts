import { readFile } from "node:fs/promises";
import path from "node:path";
import { type RolloutOptions, rolloutErrors } from "verl-ts/plugin";

/** Sizes of a Llama-family model. */
export interface ModelShape {
  readonly vocabSize: number;
  readonly hiddenSize: number;
  readonly intermediateSize: number;
  readonly numLayers: number;
  readonly numHeads: number;
  readonly numKvHeads: number;
  readonly headDim: number;
  readonly rmsNormEps: number;
  readonly ropeTheta: number;
  readonly maxPositions: number;
  readonly tieWordEmbeddings: boolean;
}

export async function readModelShape(model: RolloutOptions["model"]): Promise<ModelShape> {
  const raw = "config" in model ? model.config : await readConfig(model.path);
  const refuse = (what: string) => rolloutErrors.VERL_ROLLOUT_BAD_OPTION({ what, where: "actor_rollout_ref.model" });
  if (raw.model_type !== "llama") throw refuse(`plainjs serves llama models, this one is ${String(raw.model_type)}`);
  if (raw.rope_scaling) throw refuse("plainjs does not know rope_scaling");
  if (raw.attention_bias || raw.mlp_bias) throw refuse("plainjs does not know biases");
  const size = (key: string, fallback?: number): number => {
    const value = raw[key] ?? fallback;
    if (typeof value !== "number" || !(value > 0))
      throw refuse(`${key} is ${JSON.stringify(value)} in the model's configuration`);
    return value;
  };
  const numHeads = size("num_attention_heads");
  return {
    vocabSize: size("vocab_size"),
    hiddenSize: size("hidden_size"),
    intermediateSize: size("intermediate_size"),
    numLayers: size("num_hidden_layers"),
    numHeads,
    numKvHeads: size("num_key_value_heads", numHeads),
    headDim: size("head_dim", size("hidden_size") / numHeads),
    rmsNormEps: size("rms_norm_eps", 1e-6),
    ropeTheta: size("rope_theta", 10000),
    maxPositions: size("max_position_embeddings", 2048),
    tieWordEmbeddings: raw.tie_word_embeddings === true,
  };
}

async function readConfig(folder: string): Promise<Readonly<Record<string, unknown>>> {
  const file = path.join(folder, "config.json");
  try {
    return JSON.parse(await readFile(file, "utf8")) as Record<string, unknown>;
  } catch (cause) {
    throw rolloutErrors.VERL_ROLLOUT_BAD_OPTION({
      what: `plainjs needs a Hugging Face folder; ${file} cannot be read`,
      fix: "Name a folder with config.json in actor_rollout_ref.model.path, or choose another rollout.",
      cause,
    });
  }
}
