import { open, stat } from "node:fs/promises";
import path from "node:path";
import { reasonOf, type VerlError } from "../../core/host/basics.js";
import { ATTRIBUTE, readSpans, TRACES_FILE } from "../../core/tracing/index.js";
import { cliErrors } from "../errors.js";
import { type CommandIo, columnsOf, printJson, printLine } from "../program/io.js";
import { EXIT } from "../program/report-error.js";
import { NothingFound } from "./nothing.js";
import { spanSummary, spanTexts } from "./render-spans.js";
import { isWithin } from "./select.js";
import { type SpanSelection, secondsOf, selectTraces } from "./span-trees.js";

/** The file of spans that is meant: one that is named, or that of a run where `spans` are asked for. */
export async function spanFile(place: string, spans: boolean): Promise<string | null> {
  const info = await stat(place).catch((cause: unknown) => {
    if (!spans) return null;
    const why = reasonOf(cause);
    throw cliErrors.VERL_CLI_NOTHING_TO_INSPECT({ what: "There is no trace to look at.", where: place, why, cause });
  });
  if (info?.isFile()) return spans || (await holdsSpans(place)) ? place : null;
  if (!spans) return null;
  const file = path.join(place, TRACES_FILE);
  if (await stat(file).catch(() => null)) return file;
  throw cliErrors.VERL_CLI_NOTHING_TO_INSPECT({
    what: "The folder has no traces.",
    where: place,
    why: `There is no ${TRACES_FILE} in it; a run writes traces only where it is asked to.`,
    fix: "Run it with actor_rollout_ref.rollout.trace.backend=otel; without --spans its trajectories are shown.",
  });
}

/** Whether the first line is an export of spans. */
async function holdsSpans(file: string): Promise<boolean> {
  await using handle = await open(file, "r");
  const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(64) });
  return /^\s*\{\s*"resourceSpans"/.test(buffer.toString("latin1", 0, bytesRead));
}

export interface SpanRequest {
  /** As the user wrote it. */
  readonly place: string;
  readonly step: string | null;
  readonly json: boolean;
}

/** `verl inspect` of spans: what every session took, and where its time went. */
export async function inspectSpans(
  file: string,
  selection: SpanSelection,
  request: SpanRequest,
  io: CommandIo,
): Promise<number> {
  const selected = await selectTraces(file, selection);
  if (selected.matching === 0) throw await whyNothing(file, selection, request);
  if (request.json) {
    const { traces, ...summary } = selected;
    printJson(io, {
      ...summary,
      traces: traces.map(({ root, nodes }) => ({
        ...{ traceId: root.traceId, name: root.name, start: new Date(root.start).toISOString() },
        ...{ seconds: secondsOf(root), isError: root.isError, attributes: root.attributes },
        spans: nodes.map(({ span, depth }) => ({
          ...{ name: span.name, depth, after: (span.start - root.start) / 1000, seconds: secondsOf(span) },
          ...{ isError: span.isError, attributes: span.attributes },
        })),
      })),
    });
    return EXIT.ok;
  }
  const text = spanTexts(selected.traces, { color: io.color.stdout, columns: columnsOf(io.stdout) });
  if (selected.traces.length > 0) printLine(io.stdout, text);
  printLine(io.stderr, spanSummary(selected));
  return EXIT.ok;
}

async function whyNothing(file: string, selection: SpanSelection, { place, step }: SpanRequest): Promise<VerlError> {
  const { split, uid, source } = selection;
  const isWanted = (number: number) => isWithin(number, selection.steps);
  const nothing = new NothingFound({ step, split, uid, source, stop: null }, isWanted);
  for await (const { parentSpanId, attributes } of readSpans(file)) {
    if (parentSpanId !== null) continue;
    const isValidated = attributes[ATTRIBUTE.validate];
    const text = (name: string) => (typeof attributes[name] === "string" ? (attributes[name] as string) : null);
    const number = attributes[ATTRIBUTE.step];
    nothing.see({
      step: typeof number === "number" ? number : null,
      split: typeof isValidated === "boolean" ? (isValidated ? "val" : "train") : null,
      uid: text(ATTRIBUTE.trajectory),
      source: text(ATTRIBUTE.dataSource),
      stop: null,
    });
  }
  return nothing.error({ name: "trace", place, list: `\`verl inspect ${place} --spans --limit 100\`` });
}
