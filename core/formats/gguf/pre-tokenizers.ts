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

/** Splits by regular expressions, one after the other, then bytes. */
const patterns = (...regexes: string[]) => sequence(...regexes.map(splitBy), byteLevel(false));

const CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)";
const AFTER_NUMBERS = " ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
const AFTER_NUMBERS_AND_SLASHES = " ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
const UPPER = "[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]";
const LOWER = "[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]";

const words = (numbers: string) => `${CONTRACTIONS}|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|${numbers}|${AFTER_NUMBERS}`;

/** Words in which a capital letter may only be at the start, as the GPT-4o family has them. */
const casedWords = (suffix: string, numbers: string) => {
  const start = "[^\\r\\n\\p{L}\\p{N}]?";
  return `${start}${UPPER}*${LOWER}+${suffix}|${start}${UPPER}+${LOWER}*${suffix}|${numbers}|${AFTER_NUMBERS_AND_SLASHES}`;
};

/** GPT-2's own regular expression is built into the byte-level step. */
const gpt2: PreTokenizerRecipe = { preTokenizer: byteLevel(true) };
/** Every digit on its own, then as GPT-2. */
const singleDigits: PreTokenizerRecipe = {
  preTokenizer: sequence({ type: "Digits", individual_digits: true }, byteLevel(true)),
};
const gpt4: PreTokenizerRecipe = { preTokenizer: patterns(words("\\p{N}{1,3}")) };
const llama3: PreTokenizerRecipe = { ...gpt4, ignoreMerges: true, addsBos: true };
const gpt4DigitByDigit: PreTokenizerRecipe = { preTokenizer: patterns(words("\\p{N}")) };
const qwen2: PreTokenizerRecipe = { ...gpt4DigitByDigit, normalizer: { type: "NFC" } };
const gpt4o: PreTokenizerRecipe = { preTokenizer: patterns(casedWords(`${CONTRACTIONS}?`, "\\p{N}{1,3}")) };
const tekken: PreTokenizerRecipe = {
  preTokenizer: patterns(casedWords("", "\\p{N}")),
  ignoreMerges: true,
  addsBos: true,
};
const deepseekV3: PreTokenizerRecipe = {
  preTokenizer: patterns(
    "\\p{N}{1,3}",
    "[一-龥\u3040-ゟ゠-ヿ]+",
    "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+|" +
      " ?[\\p{P}\\p{S}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
  ),
};
const deepseekCoder: PreTokenizerRecipe = {
  preTokenizer: patterns("[\\r\\n]", "\\s?\\p{L}+", "\\s?\\p{P}+", "[一-龥ࠀ-一가-\ud7ff]+", "\\p{N}"),
};
const bloomWords = " ?[^(\\s|.,!?…。，、।۔،)]+";
const bloom: PreTokenizerRecipe = { preTokenizer: patterns(bloomWords) };
const viking: PreTokenizerRecipe = { preTokenizer: patterns(bloomWords, "\\p{N}") };
const bailing: PreTokenizerRecipe = {
  preTokenizer: patterns(
    "'(?i:[sdmt]|ll|ve|re)|[^\\r\\n\\p{L}\\p{N}]?+\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]++[\\r\\n]*|\\s*[\\r\\n]|\\s+(?!\\S)|\\s+",
  ),
};
const seedCoder: PreTokenizerRecipe = {
  preTokenizer: patterns(
    `${CONTRACTIONS}|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1}| ?[^\\s\\p{L}\\p{N}\\r\\n]+|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+`,
  ),
};

const FAMILIES: readonly (readonly [PreTokenizerRecipe, names: string])[] = [
  [
    gpt2,
    "gpt-2 phi-2 mpt olmo jais trillion granite-docling gigachat a.x-4.0 mellum exaone4 jina-es jina-de jina-v2-es jina-v2-de",
  ],
  [singleDigits, "smollm starcoder refact command-r codeshell exaone minerva-7b"],
  [llama3, "llama-bpe llama3 llama-v3 falcon3 falcon-h1 pixtral midm-2.0 lfm2"],
  [gpt4, "dbrx smaug-bpe glm4 chatglm-bpe"],
  [qwen2, "qwen2 deepseek-r1-qwen kormo megrez"],
  [gpt4DigitByDigit, "stablelm2 hunyuan grok-2"],
  [gpt4o, "gpt-4o llama4 minimax-m2"],
  [tekken, "tekken"],
  [deepseekV3, "deepseek-v3 hunyuan-dense"],
  [deepseekCoder, "deepseek-coder"],
  [bloom, "bloom gpt3-finnish poro-chat"],
  [viking, "viking"],
  [bailing, "bailingmoe bailingmoe2 llada-moe"],
  [seedCoder, "seed-coder"],
];

export const PRE_TOKENIZERS: ReadonlyMap<string, PreTokenizerRecipe> = new Map(
  FAMILIES.flatMap(([recipe, names]) => names.split(" ").map((name) => [name, recipe] as const)),
);
