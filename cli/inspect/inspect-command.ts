import path from "node:path";
import type { VerlError } from "../../core/host/basics.js";
import { type TrajectoryFile, tokenGaps } from "../../core/tracking/index.js";
import { cliErrors } from "../errors.js";
import { type CommandIo, columnsOf, printJson, printLine } from "../program/io.js";
import { checkOutput, writePage } from "../program/output-file.js";
import { EXIT } from "../program/report-error.js";
import { filesAt } from "./files-at.js";
import { inspectSpans, spanFile } from "./inspect-spans.js";
import { mediaFilesOf, withMediaFiles } from "./media-files.js";
import { NothingFound } from "./nothing.js";
import { trajectoryPage } from "./render-page.js";
import { summaryLine, type TextOptions, trajectoryTexts, trajectoryTree } from "./render-text.js";
import { allTrajectories, isWithin, type Selected, type Selection, select } from "./select.js";
import type { Heat } from "./token-text.js";
import { openToolParser } from "./tool-parser-of.js";

export interface InspectRequest {
  /** A file with trajectories, a folder of dumps, or the folder of a run. */
  readonly place: string;
  /** `3`, `3-5` or `last`. */
  readonly step: string | null;
  readonly split: Selection["split"];
  readonly uid: string | null;
  readonly source: string | null;
  readonly stop: string | null;
  readonly sort: Selection["order"];
  readonly limit: number | null;
  readonly heat: Heat | null;
  readonly toolFormat: string | null;
  readonly list: boolean;
  readonly tokens: boolean;
  readonly html: string | null;
  /** The run's traces instead of its trajectories. */
  readonly spans: boolean;
  readonly json: boolean;
}

/** `verl inspect`: sampled trajectories, as they were seen by sampler, trainer and reward. */
export async function inspectCommand(request: InspectRequest, io: CommandIo): Promise<number> {
  const place = path.resolve(io.cwd, request.place);
  if (request.html !== null) await checkOutput(path.resolve(io.cwd, request.html), [place]);
  const spans = await spanFile(place, request.spans);
  if (spans !== null) {
    refuseOfTrajectories(request);
    return inspectSpans(spans, selectionOf(request, []), request, io);
  }
  const found = await filesAt(place);
  const selection = selectionOf(request, found.files);
  await using calls = await openToolParser({ asked: request.toolFormat, ofRun: found.toolFormat }, io);
  const selected = await select(found.files, selection);
  if (selected.matching === 0) throw await whyNothing(request, found.files, selection);
  const mediaFiles = await mediaFilesOf(selected.records, found.files);
  if (request.json) {
    const { records, ...summary } = selected;
    printJson(io, { ...summary, trajectories: records.map((record) => withMediaFiles(record, mediaFiles)) });
    return EXIT.ok;
  }
  if (request.html !== null) {
    const title = path.basename(path.resolve(io.cwd, request.place));
    const page = await trajectoryPage(selected.records, mediaFiles, { title, summary: summaryLine(selected) });
    await writePage(request.html, page, io);
  } else if (selected.records.length > 0) {
    const color = io.color.stdout;
    const options: TextOptions = {
      heat: heatOf(request.heat, selected),
      color,
      columns: columnsOf(io.stdout),
      toolParser: calls.parser,
      tokens: request.tokens,
      mediaFiles,
    };
    const text = request.list ? trajectoryTree(selected.records, options) : trajectoryTexts(selected.records, options);
    printLine(io.stdout, text);
    if (calls.note !== null) printLine(io.stderr, calls.note);
  }
  printLine(io.stderr, summaryLine(selected));
  return EXIT.ok;
}

async function whyNothing(
  { place, step, split, uid, source, stop }: InspectRequest,
  files: readonly TrajectoryFile[],
  { steps }: Selection,
): Promise<VerlError> {
  const nothing = new NothingFound({ step, split, uid, source, stop }, (number) => isWithin(number, steps));
  for await (const record of allTrajectories(files, { steps: null, split: null })) {
    const { step, split, key, dataSource, stopReason = null } = record;
    nothing.see({ step, split, uid: key, source: dataSource, stop: stopReason });
  }
  return nothing.error({ name: "trajectory", place, list: `\`verl inspect ${place} --list\`` });
}

/** Options that say nothing of spans. */
function refuseOfTrajectories({ stop, html, heat, toolFormat, list, tokens }: InspectRequest): void {
  const asked = { stop, html, heat, toolFormat, list, tokens };
  const [name] = Object.entries(asked).flatMap(([option, value]) => (value === null || value === false ? [] : option));
  if (name === undefined) return;
  const option = name === "toolFormat" ? "--tool-format" : `--${name}`;
  throw cliErrors.VERL_CLI_USAGE({
    what: `${option} is for trajectories, and these are traces.`,
    fix: `Leave out ${option}, or --spans; traces take --step, --split, --uid, --source, --sort, --limit and --json.`,
  });
}

function selectionOf(request: InspectRequest, files: readonly TrajectoryFile[]): Selection {
  const { uid, source, stop } = request;
  const many = request.list || request.html !== null || request.json;
  return {
    steps: stepsOf(request.step, files),
    split: request.split,
    uid,
    source,
    stop,
    order: request.sort,
    limit: request.limit ?? (many ? 200 : 5),
  };
}

function stepsOf(text: string | null, files: readonly TrajectoryFile[]): Selection["steps"] {
  if (text === null) return null;
  const dumped = files.flatMap(({ step }) => step ?? []);
  if (text === "last" && dumped.length > 0) {
    const last = Math.max(...dumped);
    return [last, last];
  }
  const match = /^(\d+)(?:-(\d+))?$/.exec(text);
  if (!match)
    throw usage(
      `--step ${text}`,
      "write one step, as --step 3, or a range, as --step 3-5; `last` needs dumps of single steps",
    );
  return [Number(match[1]), Number(match[2] ?? match[1])];
}

/** The gap where any trajectory has one; a run in bypass mode has none, nor has a file of another framework. */
function heatOf(asked: Heat | null, { records }: Selected): Heat {
  if (asked !== null) return asked;
  if (records.some((record) => tokenGaps(record) !== null)) return "gap";
  return records.some(({ logProbs }) => logProbs !== null) ? "probability" : "none";
}

const usage = (what: string, fix: string) =>
  cliErrors.VERL_CLI_USAGE({ what: `\`${what}\` cannot be understood.`, fix });
