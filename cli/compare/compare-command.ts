import path from "node:path";
import { type CommandIo, printJson, printLine } from "../program/io.js";
import { checkPatterns } from "../program/metric-pattern.js";
import { checkOutput, writePage } from "../program/output-file.js";
import { EXIT } from "../program/report-error.js";
import { type Comparison, compareRuns } from "./comparison.js";
import { loadRun } from "./load-run.js";
import { comparisonPage } from "./render-page.js";
import { comparisonText } from "./render-text.js";

export interface CompareRequest {
  /** Folders of runs. */
  readonly runs: readonly string[];
  /** Metrics beside the usual ones; `*` stands for any text. */
  readonly metrics: readonly string[];
  readonly html: string | null;
  readonly json: boolean;
}

/** `verl compare`: runs side by side. */
export async function compareCommand(request: CompareRequest, io: CommandIo): Promise<number> {
  if (request.html !== null) await checkOutput(path.resolve(io.cwd, request.html));
  const runs = await Promise.all(request.runs.map((name) => loadRun(name, io.cwd)));
  const names = new Set(runs.flatMap((run) => [...run.series.keys()]));
  checkPatterns(request.metrics, [...names], "No run has the metric");
  const comparison = compareRuns(runs, request.metrics);
  if (request.html !== null) await writePage(request.html, comparisonPage(comparison), io);
  else if (request.json) printJson(io, comparisonJson(comparison));
  else printLine(io.stdout, comparisonText(comparison, io.color.stdout));
  return EXIT.ok;
}

function comparisonJson({ runs, metrics, scores, settings }: Comparison): unknown {
  return {
    runs: runs.map(({ name, lastStep, totalSteps, startedAt }) => ({ name, lastStep, totalSteps, startedAt })),
    scores,
    metrics,
    settings: settings.map(({ key, values }) => ({ key, values: values.map((value) => value ?? null) })),
  };
}
