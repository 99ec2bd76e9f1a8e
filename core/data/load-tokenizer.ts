import { stat } from "node:fs/promises";
import { openModel, readTokenizerFiles } from "../formats/index.js";
import type { ModelSource, TokenizerFiles } from "../formats/model.js";
import { isVerlError, type VerlError } from "../host/errors.js";
import type { Tokenizer } from "./tokenizer.js";
import { TokenizerAdapter } from "./tokenizer-adapter.js";
import { tokenizerErrors } from "./tokenizer-errors.js";

export interface LoadTokenizerOptions {
  /** Replaces the model's own template (`custom_chat_template`); null or undefined keeps it. */
  readonly chatTemplate?: string | null;
  /** The clock of `strftime_now` in templates; default the system's. Fix it to make prompts reproducible. */
  readonly now?: () => Date;
}

/** Make a tokenizer from an opened model, its files, or the path of a model (or of a folder with only a tokenizer). */
export async function loadTokenizer(
  source: ModelSource | TokenizerFiles | string,
  options: LoadTokenizerOptions = {},
): Promise<Tokenizer> {
  const where = typeof source === "string" ? source : "path" in source ? source.path : undefined;
  const files = await tokenizerFilesOf(source);
  if (!files) throw tokenizerErrors.VERL_DATA_TOKENIZER_MISSING({ what: `${where} has no tokenizer`, where });
  try {
    return new TokenizerAdapter(files, {
      chatTemplate: options.chatTemplate ?? files.chatTemplate,
      now: options.now,
      where,
    });
  } catch (error) {
    const isGguf = where !== undefined && (await stat(where).catch(() => null))?.isFile() === true;
    throw isGguf && isVerlError(error) && error.code === "VERL_DATA_TOKENIZER_INVALID" ? ofGguf(error, where) : error;
  }
}

/** A GGUF file has none of the files that its vocabulary is read like. */
function ofGguf(error: VerlError, where: string): Error {
  const what = `the tokenizer of ${where} cannot be used: ${error.what.replace(/^tokenizer(_config)?\.json: /, "")}`;
  const fix = "download the GGUF file again, or set actor_rollout_ref.model.tokenizer_path to a tokenizer's folder";
  return tokenizerErrors.VERL_DATA_TOKENIZER_INVALID({ what, where, fix, cause: error });
}

/** What a tokenizer is made from; null where there is none. */
export async function tokenizerFilesOf(source: ModelSource | TokenizerFiles | string): Promise<TokenizerFiles | null> {
  if (typeof source !== "string") return "tokenizerJson" in source ? source : source.tokenizerFiles();
  const isFolder = await stat(source).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (isFolder) return readTokenizerFiles(source);
  const model = await openModel(source);
  try {
    return await model.tokenizerFiles();
  } finally {
    await model.close();
  }
}
