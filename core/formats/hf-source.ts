import { join } from "node:path";
import { formatErrors } from "./errors.js";
import { fileExists, readJsonObject, readOptionalJsonObject, readOptionalText } from "./json-file.js";
import type { HeadKind, ModelConfig, ModelSource, TokenizerFiles } from "./model.js";
import { parseModelConfig } from "./model-config.js";
import { embeddingName, isNewHead, parameterSpecs, weightOf } from "./param-names.js";
import { SafetensorsReader } from "./safetensors-reader.js";
import { sentencePieceFiles } from "./sentencepiece/folder.js";

/** Open a Hugging Face folder: `config.json`, safetensors (one file or sharded), and a tokenizer if it has one. */
export async function openHfFolder(path: string, head?: HeadKind): Promise<ModelSource> {
  const where = join(path, "config.json");
  const raw = await readJsonObject(where);
  const generationConfig = await readOptionalJsonObject(join(path, "generation_config.json"));
  const config = parseModelConfig(raw, { generationConfig, where, head });
  const reader = await SafetensorsReader.openFolder(path);
  if (!reader) {
    throw formatErrors.VERL_FORMATS_NOT_A_MODEL({
      what: `${path} has a config.json but no safetensors weights`,
      where: path,
      fix: "add model.safetensors; weights in pytorch_model.bin are not read, convert them with `transformers` (save_pretrained)",
    });
  }
  try {
    return new HfSource(path, config, reader);
  } catch (error) {
    await reader.close();
    throw error;
  }
}

/** The tokenizer of a Hugging Face folder, or null when it has neither `tokenizer.json` nor a SentencePiece model. */
export async function readTokenizerFiles(folder: string): Promise<TokenizerFiles | null> {
  const written = {
    ...(await readOptionalJsonObject(join(folder, "special_tokens_map.json"))),
    ...(await readOptionalJsonObject(join(folder, "tokenizer_config.json"))),
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
    chatTemplate: (await readOptionalText(join(folder, "chat_template.jinja"))) ?? templateOf(tokenizerConfig),
    generationConfig: await generationTokens(folder),
  };
}

class HfSource implements ModelSource {
  readonly format = "hf";
  readonly tensors: ModelSource["tensors"];

  constructor(
    readonly path: string,
    readonly config: ModelConfig,
    private readonly reader: SafetensorsReader,
  ) {
    this.tensors = parameterSpecs(config).filter((parameter) => {
      const { name, shape } = parameter;
      const entry = reader.get(this.storedName(name));
      if (!entry) {
        if (isNewHead(config, parameter)) return false;
        throw formatErrors.VERL_FORMATS_TENSOR_MISSING({ what: `there is no tensor "${name}"`, where: path });
      }
      if (entry.shape.join() !== shape.join()) {
        throw formatErrors.VERL_FORMATS_TENSOR_SHAPE({
          what: `tensor "${name}" has shape [${entry.shape.join(", ")}], but config.json asks for [${shape.join(", ")}]`,
          where: path,
        });
      }
      return true;
    });
  }

  async readTensor(name: string, into?: Float32Array) {
    return { ...(await this.reader.readF32(this.storedName(name), into)), name };
  }

  tokenizerFiles(): Promise<TokenizerFiles | null> {
    return readTokenizerFiles(this.path);
  }

  close(): Promise<void> {
    return this.reader.close();
  }

  /** Some writers keep only the head of a tied pair, and files of a model without head leave out the prefix. */
  private storedName(name: string): string {
    const { names, tieWordEmbeddings } = this.config;
    const candidates = [name];
    if (name.startsWith(names.base)) candidates.push(name.slice(names.base.length));
    if (tieWordEmbeddings && name === embeddingName(this.config)) candidates.push(weightOf(names.heads.languageModel));
    return candidates.find((candidate) => this.reader.get(candidate)) ?? name;
  }
}

/** `chat_template` is a text, or a list of named templates of which `default` counts. */
function templateOf(tokenizerConfig: Readonly<Record<string, unknown>>): string | null {
  const template = tokenizerConfig.chat_template;
  if (typeof template === "string") return template;
  if (!Array.isArray(template)) return null;
  const named = template as { name?: unknown; template?: unknown }[];
  const chosen = named.find((entry) => entry?.name === "default")?.template;
  return typeof chosen === "string" ? chosen : null;
}

/** `generation_config.json`, completed with the end-of-sequence ids of `config.json` when it names none. */
async function generationTokens(folder: string): Promise<Record<string, unknown>> {
  const generationConfig = await readOptionalJsonObject(join(folder, "generation_config.json"));
  if (generationConfig.eos_token_id !== undefined && generationConfig.eos_token_id !== null) return generationConfig;
  const { eos_token_id: eos } = await readOptionalJsonObject(join(folder, "config.json"));
  return eos === undefined || eos === null ? generationConfig : { ...generationConfig, eos_token_id: eos };
}
