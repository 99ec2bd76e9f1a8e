import type { AddedTokenList } from "./added-tokens.js";
import type { JsonNode } from "./json-node.js";

type Json = Readonly<Record<string, unknown>>;

/** Special tokens that `tokenizer_config.json` may name, each once. */
export const SPECIAL_TOKENS = [
  "bos_token",
  "eos_token",
  "unk_token",
  "sep_token",
  "pad_token",
  "cls_token",
  "mask_token",
] as const;

/** Classes that take `tokenizer.json` as it is. */
const PLAIN_CLASSES = new Set([undefined, "PreTrainedTokenizerFast", "TokenizersBackend"]);

/** The steps of `tokenizer.json` as `transformers` changes them when `tokenizer_config.json` says otherwise. */
export function configureSteps(json: Json, config: Json): Json {
  const preTokenizer = json.pre_tokenizer as Json | null | undefined;
  const normalizer = json.normalizer as Json | null | undefined;
  const {
    add_prefix_space: prefix,
    do_lower_case: lower,
    strip_accents: strip,
    tokenize_chinese_chars: chinese,
  } = config;
  return {
    ...json,
    ...(preTokenizer?.type === "ByteLevel" && typeof prefix === "boolean"
      ? { pre_tokenizer: { ...preTokenizer, add_prefix_space: prefix } }
      : {}),
    ...(normalizer?.type === "BertNormalizer" && !PLAIN_CLASSES.has(config.tokenizer_class as string | undefined)
      ? {
          normalizer: {
            ...normalizer,
            ...(typeof lower === "boolean" ? { lowercase: lower } : {}),
            ...(strip === undefined ? {} : { strip_accents: strip }),
            ...(typeof chinese === "boolean" ? { handle_chinese_chars: chinese } : {}),
          },
        }
      : {}),
  };
}

/** Special tokens that are only named become added ones: they are found in texts, and may be left out when decoding. */
export function addNamedTokens(list: AddedTokenList, config: JsonNode): void {
  // One of these that has no token is for the caller to judge.
  const named = SPECIAL_TOKENS.map((name) => config.at(name)).filter((node) => !node.isNull && list.isKnown(node));
  const more = ["additional_special_tokens", "extra_special_tokens"].flatMap((name) => {
    const node = config.at(name);
    if (node.isNull) return [];
    return node.isList ? node.items() : node.entries().map(([, value]) => value);
  });
  list.addSpecial([...named, ...more]);
}

/** A special token in `tokenizer_config.json`: a text, or an object that holds it. */
export function specialTokenText(value: unknown): string | null {
  if (typeof value === "string") return value;
  const content = (value as { content?: unknown } | null | undefined)?.content;
  return typeof content === "string" ? content : null;
}
