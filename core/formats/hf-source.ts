import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { formatErrors } from "./errors.js";
import { matchTensors } from "./hf-tensors.js";
import { fileExists, readJsonObject, readOptionalSettings, readOptionalText, readSettings } from "./json-file.js";
import type { ModelConfig, ModelSource, OpenModelOptions, TokenizerFiles } from "./model.js";
import { parseModelConfig } from "./model-config.js";
import { requireFinite } from "./non-finite.js";
import { embeddingName, weightOf } from "./param-names.js";
import { SafetensorsReader } from "./safetensors-reader.js";
import { sentencePieceFiles } from "./sentencepiece/folder.js";

/** Open a Hugging Face folder: `config.json`, safetensors (one file or sharded), and a tokenizer if it has one. */
export async function openHfFolder(path: string, { head, allowNonFinite }: OpenModelOptions): Promise<ModelSource> {
  const where = join(path, "config.json");
  const raw = await readSettings(where);
  const generationConfig = await readOptionalSettings(join(path, "generation_config.json"));
  const config = parseModelConfig(raw, { generationConfig, where, head });
  const reader = await SafetensorsReader.openFolder(path);
  if (!reader) throw await noWeights(path);
  try {
    return new HfSource(path, config, reader, allowNonFinite === true);
  } catch (error) {
    await reader.close();
    throw error;
  }
}

/** The tokenizer of a Hugging Face folder, or null when it has neither `tokenizer.json` nor a SentencePiece model. */
export async function readTokenizerFiles(folder: string): Promise<TokenizerFiles | null> {
  const written = {
    ...(await readOptionalSettings(join(folder, "special_tokens_map.json"))),
    ...(await readOptionalSettings(join(folder, "tokenizer_config.json"))),
  };
  const path = join(folder, "tokenizer.json");
  const found = (await fileExists(path))
    ? { tokenizerJson: await readJsonObject(path), tokenizerConfig: written }
    : await sentencePieceFiles(folder, written);
  if (!found) return null;
  const { tokenizerJson, tokenizerConfig } = found;
  return {
    tokenizerJson,
    tokenizerConfig,
    chatTemplate: (await readOptionalText(join(folder, "chat_template.jinja"))) ?? templateOf(tokenizerConfig, folder),
    generationConfig: await generationTokens(folder),
  };
}

class HfSource implements ModelSource {
  readonly format = "hf";
  readonly tensors: ModelSource["tensors"];
  private readonly storedNames: ReadonlyMap<string, string>;

  constructor(
    readonly path: string,
    readonly config: ModelConfig,
    private readonly reader: SafetensorsReader,
    private readonly allowNonFinite: boolean,
  ) {
    const { stored, tensors } = matchTensors(config, reader, path);
    this.storedNames = stored;
    this.tensors = tensors;
  }

  async readTensor(name: string, into?: Float32Array) {
    const tensor = { ...(await this.reader.readF32(this.storedNames.get(name) ?? name, into)), name };
    if (!this.allowNonFinite) requireFinite(name, tensor.data, this.path);
    if (name === embeddingName(this.config)) await this.checkTie(tensor.data);
    return tensor;
  }

  tokenizerFiles(): Promise<TokenizerFiles | null> {
    return readTokenizerFiles(this.path);
  }

  close(): Promise<void> {
    return this.reader.close();
  }

  /** A tied head may be in the files as well, and then it is the embedding. */
  private async checkTie(embedding: Float32Array): Promise<void> {
    const { tieWordEmbeddings, head, names } = this.config;
    const name = weightOf(names.heads.languageModel);
    const isRead = this.storedNames.get(embeddingName(this.config)) === name;
    if (!tieWordEmbeddings || head !== "languageModel" || isRead || !this.reader.get(name)) return;
    const { data } = await this.reader.readF32(name);
    if (data.length === embedding.length && data.every((value, i) => Object.is(value, embedding[i]))) return;
    throw formatErrors.VERL_FORMATS_CONFIG_INVALID({
      what: `tie_word_embeddings is true, but "${name}" differs from the embedding`,
      where: this.path,
      fix: "set tie_word_embeddings to false in config.json, or remove the tensor",
    });
  }
}

/** What stands in the way of reading a folder that has a `config.json`. */
async function noWeights(path: string): Promise<Error> {
  const names = await readdir(path);
  const parts = names.filter((name) => name.endsWith(".safetensors"));
  if (parts.length > 1) {
    return formatErrors.VERL_FORMATS_NOT_A_MODEL({
      what: `there are ${parts.length} safetensors files and no model.safetensors.index.json that says what is where`,
      where: path,
      fix: "download model.safetensors.index.json as well",
    });
  }
  const other = names.find((name) => OTHER_WEIGHTS.test(name));
  return formatErrors.VERL_FORMATS_NOT_A_MODEL({
    what: `the folder has a config.json but no safetensors weights${other ? `; those in ${other} are not read` : ""}`,
    where: path,
    why: other && "other formats of weights can hold code, or need the library that wrote them",
    fix: other
      ? "convert them in Python: AutoModelForCausalLM.from_pretrained(FOLDER).save_pretrained(NEW_FOLDER)"
      : "add model.safetensors",
  });
}

const OTHER_WEIGHTS = /\.(bin|pt|pth|h5|msgpack|npz|onnx)$/;

/** `chat_template` is a text, or a list of named templates of which `default` counts. */
function templateOf(tokenizerConfig: Readonly<Record<string, unknown>>, folder: string): string | null {
  const template = tokenizerConfig.chat_template ?? null;
  if (template === null || typeof template === "string") return template;
  const bad = (what: string) =>
    formatErrors.VERL_FORMATS_CONFIG_INVALID({
      what,
      where: join(folder, "tokenizer_config.json"),
      why: "it is a Jinja template, or a list of {name, template} of which the one named default counts",
      fix: "correct chat_template, remove it, or put the template into chat_template.jinja beside it",
    });
  if (!Array.isArray(template)) throw bad(`chat_template is ${shown(template)}`);
  const named = template as { name?: unknown; template?: unknown }[];
  const chosen = named.find((entry) => entry?.name === "default");
  if (chosen === undefined) return null;
  if (typeof chosen.template === "string") return chosen.template;
  throw bad(`the default chat_template is ${shown(chosen.template)}`);
}

const shown = (value: unknown): string => (JSON.stringify(value) ?? "missing").slice(0, 80);

/** `generation_config.json`, completed with the end-of-sequence ids of `config.json` when it names none. */
async function generationTokens(folder: string): Promise<Record<string, unknown>> {
  const generationConfig = await readOptionalSettings(join(folder, "generation_config.json"));
  if (generationConfig.eos_token_id !== undefined && generationConfig.eos_token_id !== null) return generationConfig;
  const { eos_token_id: eos } = await readOptionalSettings(join(folder, "config.json"));
  return eos === undefined || eos === null ? generationConfig : { ...generationConfig, eos_token_id: eos };
}
