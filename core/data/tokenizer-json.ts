import { tokenizerErrors } from "./tokenizer-errors.js";

type Json = Readonly<Record<string, unknown>>;

/** GPT-2's pattern, which the byte-level step applies by itself when `use_regex` is set. */
const GPT2_WORDS = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";

/**
 * Put a `tokenizer.json` into the form in which the JavaScript tokenizer computes what the Rust one does: absent sections
 * become null, tokens that only `tokenizer_config.json` names are added, and steps that the library implements with
 * JavaScript's ideas of digits and white space are expressed by patterns, which it translates exactly.
 */
export function prepareTokenizerJson(json: Json, config: Json): Json {
  return {
    ...json,
    added_tokens: addedTokens(json, config),
    normalizer: json.normalizer ?? null,
    pre_tokenizer: preparePreTokenizer(json.pre_tokenizer as Json | null | undefined),
    post_processor: json.post_processor ?? null,
    decoder: json.decoder ?? null,
  };
}

/** A special token in `tokenizer_config.json`: a text, or an object that holds it. */
export function specialTokenText(value: unknown): string | null {
  if (typeof value === "string") return value;
  const content = (value as { content?: unknown } | null | undefined)?.content;
  return typeof content === "string" ? content : null;
}

function addedTokens(json: Json, config: Json): Json[] {
  const tokens = Array.isArray(json.added_tokens) ? (json.added_tokens as Json[]) : [];
  const known = new Set(tokens.map(({ content }) => content));
  const decoder = Object.entries((config.added_tokens_decoder ?? {}) as Record<string, Json>);
  const more = decoder
    .filter(([, { content }]) => !known.has(content))
    .map(([id, token]) => ({ ...token, id: Number(id) }));
  return [...tokens, ...more];
}

function preparePreTokenizer(step: Json | null | undefined): Json | null {
  if (!step) return null;
  switch (step.type) {
    case "Sequence":
      return { ...step, pretokenizers: (step.pretokenizers as Json[]).map(preparePreTokenizer) };
    case "Digits":
      return split(step.individual_digits ? "\\p{N}" : "\\p{N}+");
    case "ByteLevel":
      if (step.add_prefix_space || step.use_regex === false) return step;
      return { type: "Sequence", pretokenizers: [split(GPT2_WORDS), { ...step, use_regex: false }] };
    case "Split":
      return prepareSplit(step);
    default:
      return step;
  }
}

function prepareSplit(step: Json): Json {
  const behavior = String(step.behavior).toLowerCase();
  if (behavior === "isolated") return { ...step, invert: false };
  if (behavior === "removed") return step;
  throw tokenizerErrors.VERL_DATA_TOKENIZER_INVALID({
    what: `the pre-tokenizer splits with behaviour ${JSON.stringify(step.behavior)}, which is not supported`,
    fix: "use a tokenizer that splits with Isolated or Removed",
  });
}

function split(regex: string): Json {
  return { type: "Split", pattern: { Regex: regex }, behavior: "Isolated", invert: false };
}
