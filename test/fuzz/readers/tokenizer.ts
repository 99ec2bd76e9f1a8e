import fc from "fast-check";
import { charTokenizerFiles, loadTokenizer, type Tokenizer } from "../../../core/data/index.js";
import { ggufTokenizerFiles } from "../../../core/formats/gguf/gguf-tokenizer.js";
import type { TokenizerFiles } from "../../../core/formats/model.js";
import { isVerlError } from "../../../core/host/index.js";
import { parseOutsideJson } from "../../../core/host/util/outside-json.js";
import { type FuzzReader, textOf } from "../fuzz-reader.js";
import { withOddMember } from "./odd-json.js";
import { nested } from "./soup.js";

const TEXTS = [
  ...["", " ", "abc ab", "The  year 2024, it's\n\tété 😀 <|im_end|>", "\u0000\ud800x\u200d\ufeff", "1,2 3 4"],
  // What breaks off late, and long runs of one kind.
  ...["a", " ", "0", "中", "e\u0301", "🇦", "ab", "\u0f71\u0f71", "<|im_"].map((piece) => `${piece.repeat(3000)}!`),
];

/** Between tokenizer.json and tokenizer_config.json. */
const CUT = "\n%%\n";

function written({ tokenizerJson, tokenizerConfig }: TokenizerFiles): string {
  return JSON.stringify(tokenizerJson) + CUT + JSON.stringify(tokenizerConfig);
}

function byteLevel(pre: string): TokenizerFiles {
  const tokens = [
    "<|end|>",
    "<|im_end|>",
    ...Array.from({ length: 94 }, (_, i) => String.fromCharCode(0x21 + i)),
    "Ġ",
    "Ċ",
    "ab",
    "Ġab",
    "12",
  ];
  return ggufTokenizerFiles(
    new Map<string, never>(
      Object.entries({
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": pre,
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.token_type": tokens.map((_, id) => (id < 2 ? 3 : 1)),
        "tokenizer.ggml.merges": ["a b", "Ġ ab", "1 2"],
        "tokenizer.ggml.eos_token_id": 1,
      }) as [string, never][],
    ),
    "model.gguf",
  ) as TokenizerFiles;
}

const small = charTokenizerFiles("abc 12", { pad: "<pad>", eos: "<end>" });
const rich = {
  ...small.tokenizerJson,
  normalizer: {
    type: "Sequence",
    normalizers: [
      { type: "NFC" },
      { type: "Lowercase" },
      { type: "Replace", pattern: { String: "x" }, content: "y" },
      { type: "Prepend", prepend: "a" },
    ],
  },
  pre_tokenizer: {
    type: "Sequence",
    pretokenizers: [
      { type: "Split", pattern: { Regex: "\\p{N}{1,3}|\\s+" }, behavior: "Isolated", invert: false },
      { type: "Digits", individual_digits: true },
      { type: "ByteLevel", add_prefix_space: false, trim_offsets: true, use_regex: true },
    ],
  },
  post_processor: {
    type: "TemplateProcessing",
    single: [{ SpecialToken: { id: "<end>", type_id: 0 } }, { Sequence: { id: "A", type_id: 0 } }],
    pair: [],
    special_tokens: { "<end>": { id: "<end>", ids: [1], tokens: ["<end>"] } },
  },
  decoder: {
    type: "Sequence",
    decoders: [{ type: "ByteFallback" }, { type: "Fuse" }, { type: "Strip", content: " ", start: 1, stop: 0 }],
  },
};

const patterned = (pattern: string) =>
  JSON.stringify({
    ...byteLevel("smollm").tokenizerJson,
    pre_tokenizer: { type: "Split", pattern: { Regex: pattern }, behavior: "Isolated", invert: false },
  }) +
  CUT +
  "{}";
const modelled = (model: object) => `${JSON.stringify({ ...small.tokenizerJson, added_tokens: [], model }) + CUT}{}`;

/** tokenizer.json with tokenizer_config.json: built, then used. */
export const tokenizer: FuzzReader = {
  name: "tokenizer",
  seeds: () => [
    written(small),
    written(byteLevel("smollm")),
    written(byteLevel("llama3")),
    JSON.stringify(rich) + CUT + JSON.stringify(small.tokenizerConfig),
  ],
  words: [
    '"type":',
    '"BPE"',
    '"Unigram"',
    '"WordPiece"',
    '"WordLevel"',
    '"vocab":',
    '"merges":',
    '"added_tokens":',
    '"Regex":"',
    "(a+)+$",
    "[",
    "]",
    "{",
    "}",
    "null",
    "-1",
    "1e999",
    CUT,
  ],
  generated: fc.oneof(
    fc
      .constantFrom(small.tokenizerJson, rich, byteLevel("qwen2").tokenizerJson)
      .chain((json) =>
        withOddMember(json).map((odd) => JSON.stringify(odd) + CUT + JSON.stringify(small.tokenizerConfig)),
      ),
    withOddMember(small.tokenizerConfig).map((odd) => JSON.stringify(small.tokenizerJson) + CUT + JSON.stringify(odd)),
  ),
  hostile: {
    "no model": () => `{}${CUT}{}`,
    "a model that is null": () => `{"model": null}${CUT}{}`,
    "an unknown model": () => `{"model": {"type": "Unknown", "vocab": {}}}${CUT}{}`,
    "an id of 2^40": () =>
      written({
        ...small,
        tokenizerJson: { ...small.tokenizerJson, model: { type: "BPE", vocab: { a: 2 ** 40 }, merges: [] } },
      }),
    "ids that are no ids": () =>
      written({
        ...small,
        tokenizerJson: {
          ...small.tokenizerJson,
          model: { type: "BPE", vocab: { a: -1, b: 0.5, c: "x", d: null }, merges: [] },
        },
      }),
    "an added token of id 2^31": () =>
      written({
        ...small,
        tokenizerJson: { ...small.tokenizerJson, added_tokens: [{ id: 2 ** 31, content: "<x>", special: true }] },
      }),
    "an empty added token": () =>
      written({
        ...small,
        tokenizerJson: { ...small.tokenizerJson, added_tokens: [{ id: 0, content: "", special: true }] },
      }),
    "a pattern that backtracks without bound": () => patterned("(a|a)+$|(a*)*b"),
    "a pattern that is none": () =>
      JSON.stringify({
        ...small.tokenizerJson,
        pre_tokenizer: { type: "Split", pattern: { Regex: "((" }, behavior: "Isolated", invert: false },
      }) +
      CUT +
      "{}",
    "a pattern of a thousand groups": () => patterned(`${"(".repeat(1000)}a${")".repeat(1000)}`),
    "a pattern of 30,000 groups": () => patterned("(".repeat(30_000)),
    "a pattern of a million repetitions": () => patterned("((a{100}){100}){100}"),
    "a pattern of 2,000 choices": () => patterned("a|".repeat(2_000)),
    "a pattern of 20,000 brackets": () => patterned("[".repeat(20_000)),
    "a pattern of many signs": () => patterned(`a${"+".repeat(20_000)}`),
    "a pattern of many classes": () => patterned("[\\p{L}&&[^\\p{Lu}\\p{Han}]]".repeat(500)),
    "a pattern that looks behind": () => patterned("(?<=a.{0,1000})b"),
    "unigrams without scores": () =>
      modelled({
        type: "Unigram",
        unk_id: 0,
        vocab: [
          ["<unk>", 0],
          ["a", -1],
          ["aa", "x"],
        ],
      }),
    unigrams: () =>
      modelled({
        type: "Unigram",
        unk_id: 0,
        vocab: [
          ["<unk>", 0],
          ["a", -1],
          ["aa", -1.5],
          ["é", -3],
          ["▁", -2],
        ],
      }),
    "a unigram for unknown that is not there": () => modelled({ type: "Unigram", unk_id: 2 ** 31, vocab: [["a", -1]] }),
    "word pieces": () =>
      modelled({
        type: "WordPiece",
        unk_token: "[UNK]",
        continuing_subword_prefix: "##",
        max_input_chars_per_word: 1e9,
        vocab: { "[UNK]": 0, a: 1, "##a": 2 },
      }),
    "a map of characters that is damaged": () =>
      JSON.stringify({
        ...small.tokenizerJson,
        normalizer: { type: "Precompiled", precompiled_charsmap: "/////wAAAAA=" },
      }) +
      CUT +
      "{}",
    "padding to 2^31": () =>
      JSON.stringify({
        ...small.tokenizerJson,
        padding: { strategy: { Fixed: 2 ** 31 } },
        truncation: { max_length: -1 },
      }) +
      CUT +
      "{}",
    "merges in a circle": () =>
      modelled({
        type: "BPE",
        vocab: { a: 0, aa: 1, aaaa: 2 },
        merges: [
          ["a", "a"],
          ["aa", "aa"],
          ["a", "aa"],
        ],
      }),
    "a cache of 2^50": () =>
      modelled({ type: "BPE", dropout: 2, vocab: { a: 0 }, merges: [], cache_capacity: 2 ** 50 }),
    "deep pre-tokenizers": () =>
      `{"model": {"type": "BPE", "vocab": {}, "merges": []}, "pre_tokenizer": ${nested('{"type": "Sequence", "pretokenizers": [', "]}", 20_000)}}${CUT}{}`,
    "a deep file": () => nested("[", "]", 100_000),
    "10,000 added tokens": () =>
      written({
        ...small,
        tokenizerJson: {
          ...small.tokenizerJson,
          added_tokens: Array.from({ length: 10_000 }, (_, i) => ({ id: i + 10, content: `<t${i}>`, special: true })),
        },
      }),
    "10,000 merges of unknown tokens": () =>
      written({
        ...small,
        tokenizerJson: {
          ...small.tokenizerJson,
          model: { type: "BPE", vocab: { a: 0 }, merges: Array(10_000).fill("x y") },
        },
      }),
    "special tokens that are no texts": () =>
      JSON.stringify(small.tokenizerJson) +
      CUT +
      '{"eos_token": {"content": {"toString": 1}}, "bos_token": 5, "added_tokens_decoder": {"x": null}}',
  },
  async read(input) {
    const [json = "", config = "{}"] = textOf(input).split(CUT);
    const files = {
      tokenizerJson: objectOf(json),
      tokenizerConfig: objectOf(config),
      chatTemplate: null,
      generationConfig: {},
    };
    const made = await loadTokenizer(files);
    for (const text of TEXTS) roundTrip(made, text);
    return made.decode([0, 1, 2, 1e6, -1, 0.5]);
  },
};

/** A character without a token is a coded error, and no reason to stop. */
function roundTrip(made: Tokenizer, text: string): unknown {
  try {
    return made.decode(made.encode(text), { skipSpecialTokens: true });
  } catch (error) {
    if (isVerlError(error)) return error;
    throw error;
  }
}

/** As the reader of the file does it: only a JSON object gets further. */
function objectOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = parseOutsideJson(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : {};
  } catch {
    return {};
  }
}
