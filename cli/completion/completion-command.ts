import type { Command } from "commander";
import { errorTable } from "../error-table.js";
import { templateNames } from "../new-command.js";
import { pluginKinds } from "../plugins/plugins-new.js";
import { type CommandIo, printLine } from "../program/io.js";
import { EXIT } from "../program/report-error.js";
import { type CompletionWords, recordedWords } from "./recorded-words.js";
import { completionScript, type Shell } from "./script.js";
import { completionSpec } from "./spec.js";

/** `verl completion SHELL`: the script for `program`, with the names of the plugins that the environment loads. */
export async function completionCommand(shell: Shell, program: Command, io: CommandIo): Promise<number> {
  const lists = { codes: Object.keys(errorTable), templates: templateNames(), kinds: pluginKinds() };
  printLine(io.stdout, completionScript(shell, completionSpec(program, await wordsFor(io), lists)));
  return EXIT.ok;
}

async function wordsFor(io: CommandIo): Promise<CompletionWords> {
  const { VERL_USE_EXTERNAL_MODULES: modules, VERL_USE_EXTERNAL_PLUGINS: plugins } = io.env;
  if (!modules && (!plugins || plugins === "none")) return recordedWords();
  const { collectWords } = await import("./collect-words.js");
  return collectWords(io);
}
