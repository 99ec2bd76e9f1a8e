import { shown } from "../../host/shown.js";
import { formatErrors } from "../errors.js";
import type { TokenizerFiles } from "../model.js";
import { ggufEosTokenIds } from "./gguf-config.js";
import type { GgufValue } from "./header.js";
import { PRE_TOKENIZERS } from "./pre-tokenizers.js";

/** Values of `tokenizer.ggml.token_type`. */
const CONTROL = 3;
const USER_DEFINED = 4;

/**
 * Hugging Face's `tokenizer.json` and `tokenizer_config.json` from GGUF metadata, for byte-level BPE. Null when the file
 * carries no vocabulary.
 */
export function ggufTokenizerFiles(metadata: ReadonlyMap<string, GgufValue>, path: string): TokenizerFiles | null {
  const read = new TokenizerMetadata(metadata, path);
  const kind = read.text("model");
  if (kind === undefined || kind === "no_vocab" || kind === "none") return null;
  if (kind !== "gpt2") {
    throw read.unsupported(`the tokenizer is of kind "${kind}"`, "byte-level BPE (kind gpt2) can be rebuilt");
  }
  const preName = read.text("pre") ?? "default";
  const pre = PRE_TOKENIZERS.get(preName);
  if (!pre) {
    const known = [...PRE_TOKENIZERS.keys()].join(", ");
    throw read.unsupported(`its way to split words, "${preName}", is not known here`, `known: ${known}`);
  }
  const tokens = read.texts("tokens");
  const types = read.numbers("token_type");
  const merges = read.texts("merges");
  const vocab: Record<string, number> = Object.create(null);
  for (let id = tokens.length - 1; id >= 0; id--) vocab[tokens[id]] = id;

  const text = (name: string) => {
    const id = metadata.get(`tokenizer.ggml.${name}_token_id`);
    return typeof id === "number" ? tokens[id] : undefined;
  };
  const bos = text("bos");
  const template = metadata.get("tokenizer.chat_template");
  const addBos = metadata.get("tokenizer.ggml.add_bos_token") ?? pre.addsBos ?? false;
  return {
    tokenizerJson: {
      version: "1.0",
      truncation: null,
      padding: null,
      added_tokens: tokens.flatMap((content, id) =>
        types[id] === CONTROL || types[id] === USER_DEFINED ? [addedToken(id, content, types[id] === CONTROL)] : [],
      ),
      normalizer: pre.normalizer ?? null,
      pre_tokenizer: pre.preTokenizer,
      post_processor: addBos === true && bos !== undefined ? prependToken(bos, vocab[bos]) : null,
      decoder: { type: "ByteLevel", add_prefix_space: true, trim_offsets: true, use_regex: true },
      model: {
        type: "BPE",
        dropout: null,
        unk_token: null,
        continuing_subword_prefix: null,
        end_of_word_suffix: null,
        fuse_unk: false,
        byte_fallback: false,
        ignore_merges: pre.ignoreMerges ?? false,
        vocab,
        merges: merges.map((merge) => splitMerge(merge, read)),
      },
    },
    tokenizerConfig: {
      tokenizer_class: "PreTrainedTokenizerFast",
      add_prefix_space: false,
      clean_up_tokenization_spaces: false,
      ...optional("bos_token", bos),
      ...optional("eos_token", text("eos")),
      ...optional("unk_token", text("unknown")),
      ...optional("pad_token", text("padding")),
      ...optional("model_max_length", metadata.get("llama.context_length")),
    },
    chatTemplate: typeof template === "string" ? template : null,
    generationConfig: {
      ...optional("bos_token_id", metadata.get("tokenizer.ggml.bos_token_id")),
      eos_token_id: ggufEosTokenIds(metadata),
      ...optional("pad_token_id", metadata.get("tokenizer.ggml.padding_token_id")),
    },
  };
}

class TokenizerMetadata {
  constructor(
    private readonly metadata: ReadonlyMap<string, GgufValue>,
    private readonly path: string,
  ) {}

  text(name: string): string | undefined {
    const value = this.metadata.get(`tokenizer.ggml.${name}`);
    if (value === undefined || typeof value === "string") return value;
    throw this.invalid(`tokenizer.ggml.${name} is not a text`);
  }

  texts(name: string): readonly string[] {
    const value = this.metadata.get(`tokenizer.ggml.${name}`);
    if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value;
    throw this.invalid(`tokenizer.ggml.${name} is not a list of texts`);
  }

  numbers(name: string): readonly number[] {
    const value = this.metadata.get(`tokenizer.ggml.${name}`);
    if (Array.isArray(value) && value.every((item) => typeof item === "number")) return value;
    throw this.invalid(`tokenizer.ggml.${name} is not a list of numbers`);
  }

  invalid(what: string): Error {
    return formatErrors.VERL_FORMATS_GGUF_INVALID({ what, where: this.path });
  }

  unsupported(what: string, why: string): Error {
    return formatErrors.VERL_FORMATS_TOKENIZER_UNSUPPORTED({ what, where: this.path, why });
  }
}

/** "a b": the first space after the first character divides, since a part may itself start with a space. */
function splitMerge(merge: string, read: TokenizerMetadata): [string, string] {
  const space = merge.indexOf(" ", 1);
  if (space < 0) throw read.invalid(`tokenizer.ggml.merges holds ${shown(merge)}, which is not a pair`);
  return [merge.slice(0, space), merge.slice(space + 1)];
}

function addedToken(id: number, content: string, special: boolean) {
  return { id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special };
}

function prependToken(token: string, id: number) {
  const special = { SpecialToken: { id: token, type_id: 0 } };
  const sequence = (name: string, typeId: number) => ({ Sequence: { id: name, type_id: typeId } });
  return {
    type: "TemplateProcessing",
    single: [special, sequence("A", 0)],
    pair: [special, sequence("A", 0), special, sequence("B", 1)],
    special_tokens: { [token]: { id: token, ids: [id], tokens: [token] } },
  };
}

function optional(key: string, value: unknown): Record<string, unknown> {
  return value === undefined ? {} : { [key]: value };
}
