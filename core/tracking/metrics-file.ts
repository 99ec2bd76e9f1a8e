import { parseOutsideJson } from "../host/util/outside-json.js";
import { trackingErrors } from "./errors.js";
import { completeLines, replaceLines } from "./line-file.js";

/** One line of `metrics.jsonl`. */
export interface MetricsLine {
  readonly step: number;
  /** ISO 8601; absent in files of the tracker `file`. */
  readonly time?: string;
  /** Non-finite numbers stand as the texts "NaN", "Infinity" and "-Infinity". */
  readonly data: Readonly<Record<string, number | string>>;
}

/** A metrics line as JSON text, without line feed. JSON knows no NaN: non-finite numbers become texts. */
export function metricsLine(step: number, data: Readonly<Record<string, number>>, time?: Date): string {
  const line: MetricsLine = { step, ...(time ? { time: time.toISOString() } : {}), data: maskNonFinite(data) };
  return JSON.stringify(line);
}

export function maskNonFinite(data: Readonly<Record<string, number>>): Record<string, number | string> {
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [name, Number.isFinite(value) ? value : String(value)]),
  );
}

/** The number that a value in a metrics line stands for. */
export function unmask(value: number | string): number {
  return typeof value === "number" ? value : Number(value);
}

/**
 * Lines of a metrics file in order; none if there is no file. A last line without a line feed was cut off by a crash and
 * is left out; any other line that cannot be read is `VERL_TRACKING_BAD_FILE`.
 */
export async function readMetrics(file: string): Promise<MetricsLine[]> {
  const lines = await completeLines(file);
  return lines.flatMap((line, i) => (line.trim() === "" ? [] : [parseMetricsLine(line, `${file}:${i + 1}`)]));
}

/**
 * Cut a metrics file to what a resumed run goes on from: lines after `startStep` and a torn last line go, and with
 * `logsStartStepAgain` those of `startStep` too. A new run (`startStep` 0) starts with an empty file. The file is replaced
 * at once or not at all.
 */
export async function cutMetrics(file: string, startStep: number, logsStartStepAgain = false): Promise<void> {
  const isKept = (step: number) => (logsStartStepAgain ? step < startStep : step <= startStep);
  const kept = startStep > 0 ? (await readMetrics(file)).filter(({ step }) => isKept(step)) : [];
  await replaceLines(
    file,
    kept.map((line) => JSON.stringify(line)),
  );
}

/** Anything else than a line that {@link metricsLine} wrote is `VERL_TRACKING_BAD_FILE`. */
export function parseMetricsLine(text: string, where: string): MetricsLine {
  try {
    const line = parseOutsideJson(text) as MetricsLine | null;
    if (line !== null && Number.isInteger(line.step) && isMetrics(line.data)) return line;
  } catch {
    // Reported below, with the place.
  }
  throw trackingErrors.VERL_TRACKING_BAD_FILE({ what: "a line is no {step, data} object", where });
}

function isMetrics(data: unknown): boolean {
  if (typeof data !== "object" || data === null || Array.isArray(data)) return false;
  return Object.values(data).every((value) => typeof value === "number" || typeof value === "string");
}
