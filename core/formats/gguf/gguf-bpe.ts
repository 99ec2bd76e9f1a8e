import { shown } from "../../host/util/shown.js";
import { PIECE } from "../sentencepiece/vocabulary.js";
import { templateProcessing } from "../template-processing.js";
import { PRE_TOKENIZERS } from "./pre-tokenizers.js";
import type { TokenizerMetadata } from "./tokenizer-metadata.js";

/** `tokenizer.json` for byte-level BPE, the kind `gpt2`. */
export function ggufBpe(read: TokenizerMetadata): Record<string, unknown> {
  const preName = read.text("pre") ?? "default";
  const pre = PRE_TOKENIZERS.get(preName);
  if (!pre) {
    const known = [...PRE_TOKENIZERS.keys()].join(", ");
    throw read.unsupported(`its way to split words, "${preName}", is not known here`, `known: ${known}`);
  }
  const tokens = read.texts("tokens");
  const types = read.numbers("token_type");
  const vocab: Record<string, number> = Object.create(null);
  for (let id = tokens.length - 1; id >= 0; id--) vocab[tokens[id]] = id;
  const bos = read.flag("add_bos_token", pre.addsBos ?? false) ? read.special("bos", tokens) : undefined;
  const eos = read.flag("add_eos_token", false) ? read.special("eos", tokens) : undefined;
  return {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: tokens.flatMap((content, id) =>
      types[id] === PIECE.control || types[id] === PIECE.userDefined
        ? [addedToken(vocab[content], content, types[id] === PIECE.control)]
        : [],
    ),
    normalizer: pre.normalizer ?? null,
    pre_tokenizer: pre.preTokenizer,
    post_processor: templateProcessing(bos ? [bos] : [], eos ? [eos] : []),
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
      merges: read.texts("merges").map((merge) => splitMerge(merge, read)),
    },
  };
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
