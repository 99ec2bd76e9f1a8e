/** How a family splits text before BPE, in the form of `tokenizer.json`, by the name that GGUF files give it. */
export interface PreTokenizerRecipe {
  readonly preTokenizer: Readonly<Record<string, unknown>>;
  readonly normalizer?: Readonly<Record<string, unknown>>;
  /** A word that is a token as a whole is taken as it is, without merging. */
  readonly ignoreMerges?: boolean;
  /** Whether a beginning-of-sequence token is added when the file does not say. */
  readonly addsBos?: boolean;
}

const byteLevel = (useRegex: boolean) => ({
  type: "ByteLevel",
  add_prefix_space: false,
  trim_offsets: true,
  use_regex: useRegex,
});

const sequence = (...steps: Record<string, unknown>[]) => ({ type: "Sequence", pretokenizers: steps });

const splitBy = (regex: string) => ({ type: "Split", pattern: { Regex: regex }, behavior: "Isolated", invert: false });

const CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)";
const AFTER_NUMBERS = " ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";

/** GPT-2's own regular expression is built into the byte-level step. */
const gpt2: PreTokenizerRecipe = { preTokenizer: byteLevel(true) };
/** StarCoder and SmolLM: every digit on its own, then as GPT-2. */
const singleDigits: PreTokenizerRecipe = {
  preTokenizer: sequence({ type: "Digits", individual_digits: true }, byteLevel(true)),
};
const llama3: PreTokenizerRecipe = {
  preTokenizer: sequence(
    splitBy(`${CONTRACTIONS}|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}|${AFTER_NUMBERS}`),
    byteLevel(false),
  ),
  ignoreMerges: true,
  addsBos: true,
};
const qwen2: PreTokenizerRecipe = {
  preTokenizer: sequence(
    splitBy(`${CONTRACTIONS}|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}|${AFTER_NUMBERS}`),
    byteLevel(false),
  ),
  normalizer: { type: "NFC" },
};

export const PRE_TOKENIZERS: ReadonlyMap<string, PreTokenizerRecipe> = new Map([
  ["gpt-2", gpt2],
  ["smollm", singleDigits],
  ["starcoder", singleDigits],
  ["llama-bpe", llama3],
  ["llama3", llama3],
  ["llama-v3", llama3],
  ["qwen2", qwen2],
]);
