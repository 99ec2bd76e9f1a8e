import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { NamedTensor } from "../data/tensor.js";
import { writeFileAtomically } from "./atomic-file.js";
import { familyOf } from "./families/index.js";
import type { ModelConfig, TokenizerFiles } from "./model.js";
import { parameterSpecs } from "./param-names.js";
import { type WeightDType, writeSafetensors } from "./safetensors-writer.js";

export interface HfFolderContent {
  readonly config: ModelConfig;
  /** Parameters under Hugging Face names in any order, as an engine streams them; a tied head is left out. */
  readonly tensors: AsyncIterable<NamedTensor> | Iterable<NamedTensor>;
  readonly tokenizerFiles: TokenizerFiles | null;
  /** Default `bf16`, the type in which most models are published. */
  readonly dtype?: WeightDType;
}

const TORCH_DTYPES: Readonly<Record<WeightDType, string>> = { f32: "float32", bf16: "bfloat16", f16: "float16" };

/** Write a folder that `transformers` loads with `from_pretrained`, and that `openModel` reads back. */
export async function writeHfFolder(folder: string, content: HfFolderContent): Promise<void> {
  const { config, tensors, tokenizerFiles, dtype = "bf16" } = content;
  await mkdir(folder, { recursive: true });
  await writeSafetensors(join(folder, "model.safetensors"), tensors, { layout: parameterSpecs(config), dtype });
  await writeText(join(folder, "config.json"), configText(configJson(config, dtype)));
  await writeJson(join(folder, "generation_config.json"), {
    _from_model_config: true,
    ...tokenIds(config),
    ...tokenizerFiles?.generationConfig,
  });
  if (!tokenizerFiles) return;
  const { chatTemplate } = tokenizerFiles;
  await writeJson(join(folder, "tokenizer.json"), tokenizerFiles.tokenizerJson);
  await writeJson(join(folder, "tokenizer_config.json"), {
    ...tokenizerFiles.tokenizerConfig,
    ...(chatTemplate === null ? {} : { chat_template: chatTemplate }),
  });
  if (chatTemplate !== null) await writeText(join(folder, "chat_template.jinja"), chatTemplate);
}

/** The original configuration, completed with the defaults that it was read with. */
function configJson(config: ModelConfig, dtype: WeightDType): Record<string, unknown> {
  const { raw, head } = config;
  const className = familyOf(config.modelType)?.classes[head];
  return {
    ...raw,
    architectures: className ? [className] : raw.architectures,
    model_type: config.modelType,
    tie_word_embeddings: config.tieWordEmbeddings,
    ...(head === "languageModel" ? {} : labelNames(config.headSize)),
    ...tokenIds(config),
    torch_dtype: TORCH_DTYPES[dtype],
    ...(raw.dtype === undefined ? {} : { dtype: TORCH_DTYPES[dtype] }),
  };
}

/** Keys whose values `transformers` takes as floats only: 50.0, not 50. */
const FLOAT_KEYS = new Set([
  "attn_logit_softcapping",
  "final_logit_softcapping",
  "initializer_range",
  "layer_norm_epsilon",
  "rms_norm_eps",
]);

function configText(config: Record<string, unknown>): string {
  const lines = Object.entries(config)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => {
      const isWhole = FLOAT_KEYS.has(key) && Number.isInteger(value);
      const text = isWhole ? (value as number).toFixed(1) : JSON.stringify(value, null, 2).replaceAll("\n", "\n  ");
      return `  ${JSON.stringify(key)}: ${text}`;
    });
  return `{\n${lines.join(",\n")}\n}\n`;
}

/** The number of labels as `transformers` states it. */
function labelNames(labels: number): Record<string, unknown> {
  const names = Array.from({ length: labels }, (_, i) => `LABEL_${i}`);
  return {
    id2label: Object.fromEntries(names.map((name, i) => [i, name])),
    label2id: Object.fromEntries(names.map((name, i) => [name, i])),
  };
}

function tokenIds(config: ModelConfig): Record<string, unknown> {
  const { bosTokenId, eosTokenIds, padTokenId } = config;
  return {
    bos_token_id: bosTokenId,
    eos_token_id: eosTokenIds.length === 1 ? eosTokenIds[0] : eosTokenIds.length === 0 ? null : eosTokenIds,
    pad_token_id: padTokenId,
  };
}

function writeJson(path: string, value: unknown): Promise<void> {
  return writeText(path, `${JSON.stringify(value, null, 2)}\n`);
}

function writeText(path: string, text: string): Promise<void> {
  return writeFileAtomically(path, (file) => file.writeFile(text, "utf8"));
}
