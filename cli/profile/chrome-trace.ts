import { writeOutput } from "../program/output-file.js";
import type { ProfileRecorder, Stretch } from "./recorder.js";
import { stageLabel } from "./report.js";

const PID = 1;
const ROWS = { step: 1, stage: 2, engine: 3 } as const;

/** Writes what was recorded as a trace that Perfetto (ui.perfetto.dev) and `chrome://tracing` show. */
export async function writeChromeTrace(
  file: string,
  { stages, spans, memory }: Pick<ProfileRecorder, "stages" | "spans" | "memory">,
): Promise<void> {
  const micro = (ms: number) => Math.round(ms * 1000);
  const event = (row: keyof typeof ROWS, { name, start, end }: Stretch) => ({
    ph: "X",
    pid: PID,
    tid: ROWS[row],
    name: row === "stage" ? stageLabel(name) : name,
    cat: row,
    ts: micro(start),
    dur: micro(end - start),
  });
  const names = Object.entries(ROWS).map(([name, tid]) => ({
    ph: "M",
    pid: PID,
    tid,
    name: "thread_name",
    args: { name },
  }));
  const traceEvents = [
    { ph: "M", pid: PID, name: "process_name", args: { name: "verl" } },
    ...names,
    ...stages.map((stage) => event(stage.within.length === 0 ? "step" : "stage", stage)),
    ...spans.map((span) => event("engine", span)),
    ...memory.map(({ at, bytes }) => ({ ph: "C", pid: PID, name: "resident set", ts: micro(at), args: { bytes } })),
  ];
  await writeOutput(file, JSON.stringify({ displayTimeUnit: "ms", traceEvents }));
}
