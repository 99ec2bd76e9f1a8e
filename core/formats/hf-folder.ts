import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { NamedTensor } from "../data/batch/tensor.js";
import { makeFolder } from "../host/util/make-folder.js";
import { writeFileAtomically } from "./atomic-file.js";
import { familyOf } from "./families/index.js";
import { readOptionalSettings } from "./json-file.js";
import type { ModelConfig, TokenizerFiles } from "./model.js";
import { parameterSpecs } from "./param-names.js";
import { storedBytes, type TensorSpec, type WeightDType, writeSafetensorsShards } from "./safetensors-writer.js";

export interface HfFolderContent {
  readonly config: ModelConfig;
  /** Parameters under Hugging Face names in any order, as an engine streams them; a tied head is left out. */
  readonly tensors: AsyncIterable<NamedTensor> | Iterable<NamedTensor>;
  readonly tokenizerFiles: TokenizerFiles | null;
  /** Default `bf16`, the type in which most models are published. */
  readonly dtype?: WeightDType;
  /** Largest file of weights in bytes; more become several files with an index. Default 5 GB. */
  readonly maxShardBytes?: number;
}

const MAX_SHARD_BYTES = 5e9;
const SINGLE_FILE = "model.safetensors";
const INDEX_FILE = "model.safetensors.index.json";

const TORCH_DTYPES: Readonly<Record<WeightDType, string>> = { f32: "float32", bf16: "bfloat16", f16: "float16" };

/** Write a folder that `transformers` loads with `from_pretrained`, and that `openModel` reads back. */
export async function writeHfFolder(folder: string, content: HfFolderContent): Promise<void> {
  const { config, tokenizerFiles, dtype = "bf16" } = content;
  await makeFolder(folder);
  await writeWeights(folder, content, dtype);
  await writeText(join(folder, "config.json"), configText(configJson(config, dtype)));
  await writeJson(join(folder, "generation_config.json"), {
    _from_model_config: true,
    ...tokenIds(config),
  });
  if (tokenizerFiles) await writeTokenizerFiles(folder, tokenizerFiles);
}

/**
 * Write a tokenizer into a Hugging Face folder, in place of one that is there: everything that `transformers` reads. What it says of
 * generation goes over what `generation_config.json` holds.
 */
export async function writeTokenizerFiles(folder: string, files: TokenizerFiles): Promise<void> {
  const { tokenizerJson, tokenizerConfig, chatTemplate, generationConfig } = files;
  const { chat_template: _, ...settings } = tokenizerConfig;
  await writeJson(join(folder, "tokenizer.json"), tokenizerJson);
  await writeJson(join(folder, "tokenizer_config.json"), {
    // Without a class the model's own would be taken, which may encode in another way than tokenizer.json says.
    tokenizer_class: "PreTrainedTokenizerFast",
    ...settings,
    ...(chatTemplate === null ? {} : { chat_template: chatTemplate }),
  });
  const special = SPECIAL_TOKENS.filter((name) => settings[name] !== undefined && settings[name] !== null);
  await writeJson(
    join(folder, "special_tokens_map.json"),
    Object.fromEntries(special.map((name) => [name, settings[name]])),
  );
  const template = join(folder, "chat_template.jinja");
  if (chatTemplate === null) await rm(template, { force: true });
  else await writeText(template, chatTemplate);
  const generation = join(folder, "generation_config.json");
  await writeJson(generation, { ...(await readOptionalSettings(generation)), ...generationConfig });
}

const SPECIAL_TOKENS = [
  "bos_token",
  "eos_token",
  "unk_token",
  "sep_token",
  "pad_token",
  "cls_token",
  "mask_token",
  "additional_special_tokens",
];

/** One file, or `model-00001-of-0000N.safetensors` and an index; weights of an earlier export go. */
async function writeWeights(folder: string, content: HfFolderContent, dtype: WeightDType): Promise<void> {
  const { config, tensors, maxShardBytes = MAX_SHARD_BYTES } = content;
  const layouts = shardLayouts(parameterSpecs(config), dtype, maxShardBytes);
  const digits = (number: number) => String(number).padStart(5, "0");
  const nameOf = (i: number) => `model-${digits(i + 1)}-of-${digits(layouts.length)}.safetensors`;
  const names = layouts.length === 1 ? [SINGLE_FILE] : layouts.map((_, i) => nameOf(i));
  const shards = layouts.map((layout, i) => ({ path: join(folder, names[i]), layout }));
  await writeSafetensorsShards(shards, tensors, { dtype });
  if (names.length > 1) {
    const specs = layouts.flat();
    await writeJson(join(folder, INDEX_FILE), {
      metadata: {
        total_parameters: specs.reduce((sum, { shape }) => sum + shape.reduce((n, size) => n * size, 1), 0),
        total_size: specs.reduce((sum, spec) => sum + storedBytes(spec, dtype), 0),
      },
      weight_map: Object.fromEntries(layouts.flatMap((layout, i) => layout.map(({ name }) => [name, names[i]]))),
    });
    names.push(INDEX_FILE);
  }
  const isWeights = /^model(-\d{5}-of-\d{5})?\.safetensors(\.index\.json)?$/;
  const stale = (await readdir(folder)).filter((name) => isWeights.test(name) && !names.includes(name));
  for (const name of stale) await rm(join(folder, name));
}

/** Parameters in their order, cut where a file would become too large. */
function shardLayouts(specs: readonly TensorSpec[], dtype: WeightDType, maxBytes: number): TensorSpec[][] {
  const layouts: TensorSpec[][] = [[]];
  let size = 0;
  for (const spec of specs) {
    const bytes = storedBytes(spec, dtype);
    if (size > 0 && size + bytes > maxBytes) {
      layouts.push([]);
      size = 0;
    }
    layouts[layouts.length - 1].push(spec);
    size += bytes;
  }
  return layouts;
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
