import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { formatErrors } from "../errors.js";
import { fileExists } from "../json-file.js";
import type { TokenizerFiles } from "../model.js";
import { type TokenId, templateProcessing } from "../template-processing.js";
import { CONVERT, readSentencePieceModel } from "./model-file.js";
import { sentencePieceTokenizerJson } from "./tokenizer-json.js";

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
  const { vocabulary, specialTokens } = readSentencePieceModel(await readFile(path), path);
  const tokenizerConfig: Json = { ...specialTokens, ...config };
  const ids = new Map(vocabulary.pieces.map(({ text }, id) => [text, id]));
  const token = (name: string): TokenId[] => {
    const named = tokenizerConfig[name] as { content?: unknown } | string | undefined;
    const text = typeof named === "string" ? named : named?.content;
    const id = typeof text === "string" ? ids.get(text) : undefined;
    return id === undefined ? [] : [[text as string, id]];
  };
  const begins = config.add_bos_token ?? BEGINNING_CLASSES.test(String(config.tokenizer_class));
  const frame = templateProcessing(
    begins === true ? token("bos_token") : [],
    config.add_eos_token === true ? token("eos_token") : [],
  );
  return { tokenizerJson: sentencePieceTokenizerJson(vocabulary, frame), tokenizerConfig };
}

function renumbered(folder: string, name: string): Error {
  return formatErrors.VERL_FORMATS_TOKENIZER_UNSUPPORTED({
    what: `the tokenizer of ${folder} is ${name} alone`,
    where: join(folder, name),
    why: "models of this kind give pieces other ids than the file, in a way that depends on their class",
    fix: CONVERT,
  });
}
