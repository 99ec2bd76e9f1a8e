import { readFileSync } from "node:fs";
import { type ChatMessage, loadTokenizer, type Tokenizer } from "../../../../core/data/index.js";
import { isVerlError, type VerlError } from "../../../../core/host/errors.js";

/** Chat templates of the conformance cases, by family. */
export const caseTemplates: ReadonlyMap<string, string> = new Map(
  readFileSync("test/cases/render.jsonl", "utf8")
    .split("\n")
    .filter((line) => line.includes('"render/family/'))
    .map((line) => JSON.parse(line) as { id: string; template: string })
    .map(({ id, template }) => [id.split("/")[2], template]),
);

export interface BytesOptions {
  readonly template: string | null;
  /** Tokens that are whole in the vocabulary, besides those between `<|` and `|>` in the template. */
  readonly special?: readonly string[];
  /** Tokens that end generation; the first is the end-of-sequence token. */
  readonly stop?: readonly string[];
  /** Pairs of tokens that are merged, in order. */
  readonly merges?: readonly (readonly [string, string])[];
  /** Splits text before merging; by default as Llama 3 and Qwen do, where line feeds in a row stay together. */
  readonly words?: string;
}

export const GPT2_WORDS = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";
const NEWER_WORDS =
  "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";

/** Bytes as GPT-2 writes them: printable ones as they are. */
const ALPHABET = Array.from({ length: 256 }, (_, byte) => byte).map((byte, _i, all) => {
  const printable = (b: number) => (b >= 33 && b <= 126) || (b >= 161 && b <= 172) || b >= 174;
  return String.fromCharCode(printable(byte) ? byte : 256 + all.filter((b) => b < byte && !printable(b)).length);
});
const MERGES: readonly (readonly [string, string])[] = [
  ["h", "e"],
  ["l", "l"],
  ["ll", "o"],
  ["he", "llo"],
  ["Ċ", "Ċ"],
];

/** A byte-level tokenizer whose special tokens are those of a template. */
export function bytesTokenizer(options: BytesOptions): Promise<Tokenizer> {
  const { template, special = [], stop = [], merges = MERGES, words = NEWER_WORDS } = options;
  const shown = template?.match(/<[|｜][^<>{}'"\s]+[|｜]>/g) ?? [];
  const base = [...ALPHABET, ...merges.map((pair) => pair.join(""))];
  const added = [...new Set(["<BOS>", ...shown, ...special, ...stop])];
  const id = (token: string) => base.length + added.indexOf(token);
  return loadTokenizer(
    {
      tokenizerJson: {
        version: "1.0",
        added_tokens: added.map((content) => ({
          id: id(content),
          content,
          single_word: false,
          lstrip: false,
          rstrip: false,
          normalized: false,
          special: true,
        })),
        normalizer: null,
        pre_tokenizer: {
          type: "Sequence",
          pretokenizers: [
            { type: "Split", pattern: { Regex: words }, behavior: "Isolated", invert: false },
            { type: "ByteLevel", add_prefix_space: false, use_regex: false },
          ],
        },
        post_processor: null,
        decoder: { type: "ByteLevel" },
        model: {
          type: "BPE",
          dropout: null,
          unk_token: null,
          fuse_unk: false,
          byte_fallback: false,
          ignore_merges: false,
          vocab: Object.fromEntries(base.map((token, i) => [token, i])),
          merges: merges.map((pair) => [...pair]),
        },
      },
      tokenizerConfig: { bos_token: "<BOS>", ...(stop.length > 0 ? { eos_token: stop[0] } : {}) },
      chatTemplate: template,
      generationConfig: { eos_token_id: stop.map(id) },
    },
    { now: () => new Date("2026-01-02T03:04:05") },
  );
}

export const user = (content: string): ChatMessage => ({ role: "user", content });
export const system = (content: string): ChatMessage => ({ role: "system", content });
export const assistant = (content: string, more: object = {}): ChatMessage => ({ role: "assistant", content, ...more });
export const tool = (content: string, more: object = {}): ChatMessage => ({ role: "tool", content, ...more });
export const call = (name: string, args = "{}", id?: string) => ({
  ...(id === undefined ? {} : { id }),
  type: "function",
  function: { name, arguments: args },
});

/** Ids of a text that stands alone. */
export const idsOf = (tokenizer: Tokenizer, text: string) => tokenizer.encode(text, { addSpecialTokens: false });

/** What a model sampled, from its text. */
export const sampled = (tokenizer: Tokenizer, text: string) => {
  const tokenIds = idsOf(tokenizer, text);
  return { tokenIds, logProbs: tokenIds.map((_, i) => -1 - i), minWeightVersion: 1, maxWeightVersion: 1 };
};

/** The coded error that `action` must throw. */
export function thrownBy(action: () => unknown): VerlError {
  try {
    action();
  } catch (error) {
    if (isVerlError(error)) return error;
    throw error;
  }
  throw new Error("expected a coded error, but nothing was thrown");
}
