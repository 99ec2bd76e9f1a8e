import { readFileSync } from "node:fs";
import { join } from "node:path";
import { TokenizerPipeline } from "../../../../core/data/tokenizer/pipeline.js";
import { isVerlError } from "../../../../core/host/errors.js";

/** What test/peers/tokenizer_vectors.py writes. Null stands for what the Python library fails at, which is not compared,
 * nor are texts beyond the last answer. */
export interface SpelledFile {
  readonly texts: readonly string[];
  /** Follows every piece. */
  readonly mark: string;
  readonly cases: readonly {
    readonly name: string;
    readonly steps: Readonly<Record<string, unknown>>;
    readonly spelled: readonly (string | null)[];
  }[];
}

export interface TokenizersFile {
  readonly texts: readonly string[];
  readonly cases: readonly {
    readonly name: string;
    /** What `json` leaves out is as in this case. */
    readonly like?: string;
    readonly json: Sections;
    /** `tokenizer_config.json`. */
    readonly config?: unknown;
    readonly ids: readonly (readonly number[] | null)[];
    /** With special tokens, where these make a difference. */
    readonly framed?: readonly (readonly number[] | null)[];
    readonly decoded: readonly {
      readonly ids: readonly number[];
      readonly text: string | null;
      readonly plain: string | null;
    }[];
  }[];
}

/** What test/peers/real_tokenizers.py writes. */
export interface RealTokenizersFile {
  readonly texts: readonly string[];
  readonly cases: readonly (Omit<TokenizersFile["cases"][number], "json" | "name"> & {
    readonly folder: string;
    readonly config: boolean;
  })[];
}

type Sections = Readonly<Record<string, unknown>> & { readonly model?: Readonly<Record<string, unknown>> };

export interface DecodersFile {
  readonly tokens: readonly string[];
  readonly special: readonly string[];
  readonly sequences: readonly (readonly number[])[];
  readonly cases: readonly {
    readonly name: string;
    readonly decoder: unknown;
    readonly texts: readonly (string | null)[];
    readonly plain: readonly (string | null)[];
  }[];
}

export const SPELLED_FILES = ["normalizers", "pre-tokenizers", "combined"] as const;
export const TOKENIZER_FILES = ["bpe", "unigram", "words", "added-tokens", "configured"] as const;

export function readVectors<T>(folder: string, name: string): T {
  return JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8")) as T;
}

/** One difference between the library and this project. */
export interface Difference {
  readonly input: unknown;
  readonly expected: unknown;
  readonly found: unknown;
}

export function spelledDifferences(
  file: SpelledFile,
  steps: Readonly<Record<string, unknown>>,
  spelled: readonly (string | null)[],
) {
  const bytes = Array.from({ length: 256 }, (_, i) => `<0x${i.toString(16).toUpperCase().padStart(2, "0")}>`);
  const pipeline = new TokenizerPipeline({
    ...steps,
    model: {
      type: "BPE",
      byte_fallback: true,
      end_of_word_suffix: file.mark,
      vocab: Object.fromEntries(bytes.map((token, id) => [token, id])),
      merges: [],
    },
  });
  return compare(file.texts, spelled, (text) => Buffer.from(pipeline.encode(text, false)).toString());
}

export function tokenizerDifferences(file: TokenizersFile, one: TokenizersFile["cases"][number]): Difference[] {
  return pipelineDifferences(new TokenizerPipeline(wholeJson(file, one), one.config), file.texts, one);
}

export function pipelineDifferences(
  pipeline: TokenizerPipeline,
  texts: readonly string[],
  answers: Pick<TokenizersFile["cases"][number], "ids" | "framed" | "decoded">,
): Difference[] {
  const { decoded, ids, framed = ids } = answers;
  const sequences = decoded.map((item) => item.ids);
  const plain = decoded.map((item) => item.plain);
  return [
    ...compare(texts, ids, (text) => pipeline.encode(text, false)),
    ...compare(texts, framed, (text) => pipeline.encode(text, true)),
    ...compare(
      sequences,
      decoded.map(({ text }) => text),
      (list) => decodeWith(pipeline, list, false),
    ),
    ...compare(sequences, plain, (list) => decodeWith(pipeline, list, true)),
  ];
}

export function wholeJson(file: TokenizersFile, one: TokenizersFile["cases"][number]): Sections {
  const base = file.cases.find(({ name }) => name === one.like)?.json;
  return { ...base, ...one.json, model: { ...base?.model, ...one.json.model } };
}

export function decoderDifferences(file: DecodersFile, one: DecodersFile["cases"][number]): Difference[] {
  const pipeline = decoderPipeline(file, one.decoder);
  return [
    ...compare(file.sequences, one.texts, (ids) => decodeWith(pipeline, ids, false)),
    ...compare(file.sequences, one.plain, (ids) => decodeWith(pipeline, ids, true)),
  ];
}

export function decoderPipeline(file: DecodersFile, decoder: unknown): TokenizerPipeline {
  const flags = { single_word: false, lstrip: false, rstrip: false, normalized: false, special: true };
  return new TokenizerPipeline({
    added_tokens: file.special.map((content) => ({ id: file.tokens.indexOf(content), content, ...flags })),
    decoder,
    model: {
      type: "WordLevel",
      unk_token: "a",
      vocab: Object.fromEntries(file.tokens.map((token, id) => [token, id])),
    },
  });
}

export function decodeWith(pipeline: TokenizerPipeline, ids: readonly number[], skipSpecialTokens: boolean): string {
  const stream = pipeline.decodingStream();
  let text = "";
  for (const id of ids) {
    const token = pipeline.tokenForDecoding(id, skipSpecialTokens);
    if (token !== null) text += stream.push(token);
  }
  return text + stream.pending();
}

function compare<I, O>(inputs: readonly I[], expected: readonly (O | null)[], run: (input: I) => O): Difference[] {
  return inputs.flatMap((input, i) => {
    if (expected[i] === null || expected[i] === undefined) return [];
    const found = attempt(() => run(input));
    return JSON.stringify(found) === JSON.stringify(expected[i]) ? [] : [{ input, expected: expected[i], found }];
  });
}

/** Where Python drops what has no token, this project refuses; the code stands for the answer. */
function attempt<O>(run: () => O): O | string {
  try {
    return run();
  } catch (error) {
    if (isVerlError(error)) return error.code;
    throw error;
  }
}
