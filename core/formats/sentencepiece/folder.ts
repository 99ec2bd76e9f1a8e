import { join } from "node:path";
import { readRegularFile } from "../../host/util/regular-file.js";
import { formatErrors } from "../errors.js";
import { fileExists } from "../json-file.js";
import type { TokenizerFiles } from "../model.js";
import { type TokenId, templateProcessing } from "../template-processing.js";
import { CONVERT, readSentencePieceModel } from "./model-file.js";
import { sentencePieceTokenizerJson } from "./tokenizer-json.js";
import type { SentencePieceVocabulary } from "./vocabulary.js";

type Json = Readonly<Record<string, unknown>>;

/** Names whose classes renumber or extend the vocabulary, so that the file alone does not tell the ids. */
const RENUMBERED = ["spiece.model", "sentencepiece.bpe.model", "spm.model"];

/** Classes that begin every text with a token when the configuration does not say. */
const BEGINNING_CLASSES = /^(Llama|CodeLlama|Gemma|Mistral)/;

/** A tokenizer from a folder that has a SentencePiece model, but no `tokenizer.json`; null when there is neither. */
export async function sentencePieceFiles(
  folder: string,
  config: Json,
): Promise<Pick<TokenizerFiles, "tokenizerJson" | "tokenizerConfig"> | null> {
  const path = join(folder, "tokenizer.model");
  if (!(await fileExists(path))) {
    for (const name of RENUMBERED) if (await fileExists(join(folder, name))) throw renumbered(folder, name);
    return null;
  }
  const model = readSentencePieceModel(await readRegularFile(path), path);
  const added = (config.added_tokens_decoder ?? {}) as Readonly<Record<string, Json>>;
  const vocabulary = renamed(model.vocabulary, added);
  const tokenizerConfig: Json = {
    ...model.specialTokens,
    ...config,
    ...(vocabulary.addDummyPrefix ? { added_tokens_decoder: foundInRawTexts(added) } : {}),
  };
  const ids = new Map(vocabulary.pieces.map(({ text }, id) => [text, id]));
  const token = (name: string): TokenId[] => {
    const named = tokenizerConfig[name] as { content?: unknown } | string | undefined;
    const text = typeof named === "string" ? named : named?.content;
    const id = typeof text === "string" ? ids.get(text) : undefined;
    return id === undefined ? [] : [[text as string, id]];
  };
  const begins = config.add_bos_token ?? BEGINNING_CLASSES.test(String(config.tokenizer_class));
  const before = begins === true ? token("bos_token") : [];
  const after = config.add_eos_token === true ? token("eos_token") : [];
  const postProcessor = templateProcessing(before, after);
  return {
    tokenizerJson: sentencePieceTokenizerJson(vocabulary, { postProcessor, legacy: config.legacy !== false }),
    tokenizerConfig,
  };
}

/** Pieces under the names that the configuration gives their ids, unless a piece that keeps its own id has the name. */
function renamed(vocabulary: SentencePieceVocabulary, added: Readonly<Record<string, Json>>): SentencePieceVocabulary {
  const kept = new Set(vocabulary.pieces.filter((_, id) => !Object.hasOwn(added, id)).map(({ text }) => text));
  const pieces = vocabulary.pieces.map((piece, id) => {
    const name = Object.hasOwn(added, id) ? added[id]?.content : undefined;
    return typeof name === "string" && !kept.has(name) ? { ...piece, text: name } : piece;
  });
  return { ...vocabulary, pieces };
}

/** Each part between added tokens gets its own space in front, so that these must be found before. */
function foundInRawTexts(added: Readonly<Record<string, Json>>): Json {
  return Object.fromEntries(Object.entries(added).map(([id, token]) => [id, { ...token, normalized: false }]));
}

function renumbered(folder: string, name: string): Error {
  return formatErrors.VERL_FORMATS_TOKENIZER_UNSUPPORTED({
    what: `the tokenizer of ${folder} is ${name} alone`,
    where: join(folder, name),
    why: "models of this kind give pieces other ids than the file, in a way that depends on their class",
    fix: CONVERT,
  });
}
