import type { PluginReport } from "../../core/host/index.js";
import { type CommandIo, printLine } from "../program/io.js";
import { formatTable } from "../program/table.js";

/** What `--allow-broken-plugins` left out, at the end of a run, where it is still on the screen. */
export function printFailedPlugins({ failures }: PluginReport, io: CommandIo): void {
  if (failures.length === 0) return;
  const rows = failures.map(({ specifier, phase, error }) => [
    specifier,
    phase ?? "",
    error?.code ?? "",
    error?.what ?? "",
  ]);
  printLine(io.stderr, `\nLeft out of this run:\n${formatTable(["plugin", "phase", "code", "what"], rows)}`);
}
