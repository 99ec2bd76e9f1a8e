import type { Command } from "commander";
import { errorTable } from "../error-table.js";
import { type CommandIo, printLine } from "../io.js";
import { templateNames } from "../new-command.js";
import { pluginKinds } from "../plugins-new.js";
import { startHost } from "../prepare-run.js";
import { EXIT } from "../report-error.js";
import { completionScript, type Shell } from "./script.js";
import { completionSpec } from "./spec.js";

/** `verl completion SHELL`: the script for `program`, with the names of the plugins that the environment loads. */
export async function completionCommand(shell: Shell, program: Command, io: CommandIo): Promise<number> {
  const host = await startHost({ allowBrokenPlugins: true, json: true }, [], io);
  try {
    const names = { codes: Object.keys(errorTable), templates: templateNames(), kinds: pluginKinds() };
    printLine(io.stdout, completionScript(shell, completionSpec(program, host, names)));
    return EXIT.ok;
  } finally {
    await host.dispose();
  }
}
