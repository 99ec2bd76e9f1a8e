import { readdir } from "node:fs/promises";
import path from "node:path";
import { type Tokenizer, tokenizerFilesOf } from "../../data/index.js";
import { fileExists, type TokenizerFiles, writeTokenizerFiles } from "../../formats/index.js";
import { reasonOf } from "../../host/errors.js";
import type { RunScope } from "../run-scope.js";
import { tokenizerPath } from "../setup/input-setup.js";

/**
 * Exported models carry the tokenizer, and the chat template, that they were trained with, wherever these came from: a folder of the
 * weights alone cannot be used, and one with another tokenizer would be used wrongly.
 */
export function tokenizerExport(
  { config, cwd, logger }: Pick<RunScope, "config" | "cwd" | "logger">,
  tokenizer: Tokenizer,
): (dir: string) => Promise<void> {
  return async (dir) => {
    for (const folder of await exportedModels(dir)) {
      try {
        const files = await tokenizerFilesOf(tokenizerPath(config, cwd));
        if (files) await writeTokenizerFiles(folder, completed(files, tokenizer, config));
      } catch (error) {
        // The weights are what the checkpoint is for.
        logger.warn(`${path.basename(folder)} of the checkpoint is without the run's tokenizer: ${reasonOf(error)}`);
      }
    }
  };
}

/** Folders with a model in Hugging Face's form. */
async function exportedModels(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => path.join(dir, name));
  const found = await Promise.all(folders.map((folder) => fileExists(path.join(folder, "config.json"))));
  return folders.filter((_, i) => found[i]);
}

function completed(files: TokenizerFiles, tokenizer: Tokenizer, config: RunScope["config"]): TokenizerFiles {
  const { stopTokenIds: stops, bosTokenId, padTokenId } = tokenizer;
  const ends = stops.length === 0 ? {} : { eos_token_id: stops.length === 1 ? stops[0] : stops };
  const begins = bosTokenId === null ? {} : { bos_token_id: bosTokenId };
  return {
    ...files,
    chatTemplate: config.actor_rollout_ref.model.custom_chat_template ?? files.chatTemplate,
    generationConfig: { ...ends, ...begins, pad_token_id: padTokenId, ...files.generationConfig },
  };
}
