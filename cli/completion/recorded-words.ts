import { readFileSync } from "node:fs";

/** What only the schema and the registries know, of all that can be completed. */
export interface CompletionWords {
  /** Keys of the configuration with the values that they are known to take. */
  readonly keys: readonly { readonly key: string; readonly values: readonly string[]; readonly file: boolean }[];
  /** Commands of plugins. */
  readonly commands: readonly string[];
  /** Names under which something is registered. */
  readonly names: readonly string[];
}

/** Beside this module when it is compiled; the build writes it, for a shell reads its completions whenever it starts. */
export const WORDS_FILE = new URL("./words.json", import.meta.url);

/** The words without any plugin from outside, as the build recorded them. */
export function recordedWords(): CompletionWords {
  return JSON.parse(readFileSync(WORDS_FILE, "utf8")) as CompletionWords;
}
