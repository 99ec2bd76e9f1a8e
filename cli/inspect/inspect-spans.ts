import { open, stat } from "node:fs/promises";
import path from "node:path";
import { TRACES_FILE } from "../../core/tracing/index.js";
import { cliErrors } from "../errors.js";
import { type CommandIo, columnsOf, printJson, printLine } from "../io.js";
import { EXIT } from "../report-error.js";
import { spanSummary, spanTexts } from "./render-spans.js";
import { type SpanSelection, secondsOf, selectTraces } from "./span-trees.js";

/** The file of spans that is meant: one that is named, or that of a run where `spans` are asked for. */
export async function spanFile(place: string, spans: boolean): Promise<string | null> {
  const info = await stat(place).catch(() => null);
  if (info?.isFile()) return spans || (await holdsSpans(place)) ? place : null;
  if (!spans) return null;
  const file = path.join(place, TRACES_FILE);
  if (await stat(file).catch(() => null)) return file;
  throw cliErrors.VERL_CLI_NOTHING_TO_INSPECT({
    what: "There are no spans to look at.",
    where: file,
    why: "the run wrote no traces: actor_rollout_ref.rollout.trace.backend was not set",
  });
}

/** Whether the first line is an export of spans. */
async function holdsSpans(file: string): Promise<boolean> {
  await using handle = await open(file, "r");
  const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(64) });
  return /^\s*\{\s*"resourceSpans"/.test(buffer.toString("latin1", 0, bytesRead));
}

/** `verl inspect` of spans: what every session took, and where its time went. */
export async function inspectSpans(
  file: string,
  selection: SpanSelection,
  { json }: { readonly json: boolean },
  io: CommandIo,
): Promise<number> {
  const selected = await selectTraces(file, selection);
  if (json) {
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
