import path from "node:path";
import { RUN_FILES, RunFolder } from "../../core/tracking/index.js";
import { cliErrors } from "../errors.js";
import { type CommandIo, printJson, printLine } from "../program/io.js";
import { checkPatterns, matches } from "../program/metric-pattern.js";
import { checkOutput, writeOutput } from "../program/output-file.js";
import { EXIT } from "../program/report-error.js";
import { csvText, EXPORT_FORMATS, type ExportFormat, jsonlText, parquetBytes } from "./formats.js";
import { metricsTable } from "./metrics-table.js";

export interface ExportRequest {
  readonly run: string;
  /** Null: standard output. */
  readonly output: string | null;
  /** Null: what the output's name says, else CSV. */
  readonly format: ExportFormat | null;
  /** Names or patterns with `*`; none: all. */
  readonly metrics: readonly string[];
  readonly json: boolean;
}

/** `verl export`: the metrics of a run as a table for other programs. A run that is under way gives what it has logged. */
export async function exportCommand(request: ExportRequest, io: CommandIo): Promise<number> {
  const format = request.format ?? formatOf(request.output);
  if (format === "parquet" && request.output === null) {
    throw cliErrors.VERL_CLI_USAGE({
      what: "Parquet is no text for a terminal.",
      fix: "Name a file: --output FILE.parquet.",
    });
  }
  const run = path.resolve(io.cwd, request.run);
  const file = request.output === null ? null : path.resolve(io.cwd, request.output);
  if (file !== null)
    await checkOutput(
      file,
      RUN_FILES.map((name) => path.join(run, name)),
    );
  const folder = await RunFolder.open(run);
  const lines = await folder.metrics();
  const names = new Set(lines.flatMap(({ data }) => Object.keys(data)));
  checkPatterns(request.metrics, [...names], "The run has no metric");
  const wanted = (name: string) =>
    request.metrics.length === 0 || request.metrics.some((pattern) => matches(name, pattern));
  const table = metricsTable(lines, wanted);
  const content = format === "csv" ? csvText(table) : format === "jsonl" ? jsonlText(table) : await parquetBytes(table);
  if (file === null && request.json && request.format === null) {
    printJson(io, {
      rows: jsonlText(table)
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line) as object),
    });
    return EXIT.ok;
  }
  if (file === null) {
    io.stdout.write(content);
    return EXIT.ok;
  }
  await writeOutput(file, content);
  const summary = { file, format, rows: table.steps.length, metrics: table.columns.size };
  if (request.json) printJson(io, summary);
  else printLine(io.stderr, `${summary.rows} steps of ${summary.metrics} metrics in ${file}`);
  return EXIT.ok;
}

function formatOf(output: string | null): ExportFormat {
  if (output === null) return "csv";
  const extension = path.extname(output).slice(1).toLowerCase();
  const format = EXPORT_FORMATS.find((known) => known === extension);
  if (format) return format;
  throw cliErrors.VERL_CLI_USAGE({
    what: `The name ${output} does not say which format it is to have.`,
    fix: `Let it end in ${EXPORT_FORMATS.map((known) => `.${known}`).join(", ")}, or choose one with --format.`,
  });
}
