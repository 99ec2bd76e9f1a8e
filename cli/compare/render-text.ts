import { formatValue, type Point, sparkline } from "../../core/tracking/index.js";
import { painter } from "../program/io.js";
import { formatTable } from "../program/table.js";
import { type Comparison, differenceInterval, type MetricComparison, type ScoreComparison } from "./comparison.js";

const CURVE_WIDTH = 24;

/** Columns are runs; values of the second and later ones are followed by their difference from the first. */
export function comparisonText({ runs, metrics, scores, settings }: Comparison, color: boolean): string {
  const paint = painter(color);
  const head = ["", ...runs.map(({ name }) => name)];
  const rows: string[][] = [
    ["steps", ...runs.map(({ lastStep, totalSteps }) => stepsText(lastStep, totalSteps))],
    ["started", ...runs.map(({ startedAt }) => startedAt?.slice(0, 16).replace("T", " ") ?? "")],
  ];
  for (const score of scores) rows.push([], ...scoreRows(score));
  for (const metric of metrics) rows.push([], ...metricRows(metric));
  if (settings.length > 0) rows.push([], ["settings that differ"]);
  for (const { key, values } of settings) rows.push([`  ${key}`, ...values.map(settingText)]);
  const width = head.length;
  const whole = rows.map((row) => [...row, ...Array<string>(width - row.length).fill("")]);
  const lines = formatTable(head, whole).split("\n");
  lines[0] = paint("bold", lines[0]);
  const unknown = runs.filter(({ config }) => config === null).map(({ name }) => name);
  if (unknown.length > 0) lines.push("", `No configuration was kept of ${unknown.join(", ")}.`);
  else if (settings.length === 0) lines.push("", "The configurations are equal.");
  if (scores.some((score) => score.runs.some((run) => run?.interval != null))) {
    lines.push(
      "",
      paint("dim", "± is a 95 % interval over prompts; * marks a difference whose interval leaves out zero."),
    );
  }
  return lines.join("\n");
}

function metricRows({ name, runs }: MetricComparison): string[][] {
  const [first] = runs;
  const rows = [
    [name],
    ["  final", ...runs.map((run, i) => (run ? value(run.final, i > 0 ? first?.final : undefined) : "–"))],
  ];
  if (runs.some((run) => run?.best)) {
    rows.push(["  best", ...runs.map((run, i) => (run?.best ? at(run.best, i > 0 ? first?.best : null) : "–"))]);
  }
  return [...rows, ["  curve", ...curves(runs.map((run) => run?.points ?? []))]];
}

function scoreRows({ name, runs }: ScoreComparison): string[][] {
  const [first] = runs;
  return [
    [name],
    ["  first", ...runs.map((run) => (run ? at(run.first) : "–"))],
    [
      "  last",
      ...runs.map((run, i) => {
        if (!run) return "–";
        const text = `${formatValue(run.last.value)}${run.interval === null ? "" : ` ± ${formatValue(run.interval)}`}`;
        if (i === 0 || !first) return text;
        const difference = run.last.value - first.last.value;
        const interval = differenceInterval(first, run);
        const range = interval === null ? "" : ` ± ${formatValue(interval)}`;
        const mark = interval !== null && Math.abs(difference) > interval ? " *" : "";
        return `${text}  (${signed(difference)}${range}${mark})`;
      }),
    ],
    ["  best", ...runs.map((run, i) => (run ? at(run.best, i > 0 ? first?.best : null) : "–"))],
    ["  curve", ...curves(runs.map((run) => run?.points ?? []))],
  ];
}

/** All on one scale. */
function curves(runs: readonly (readonly Point[])[]): string[] {
  const all = runs.flat();
  const extent = (pick: (point: Point) => number): [number, number] => [
    all.reduce((low, point) => Math.min(low, pick(point)), Number.POSITIVE_INFINITY),
    all.reduce((high, point) => Math.max(high, pick(point)), Number.NEGATIVE_INFINITY),
  ];
  const range = { steps: extent(({ step }) => step), values: extent((point) => point.value) };
  return runs.map((points) => sparkline(points, CURVE_WIDTH, range).trimEnd());
}

const value = (own: number, first: number | undefined): string =>
  `${formatValue(own)}${first === undefined ? "" : `  (${signed(own - first)})`}`;

const at = (point: Point, first?: Point | null): string =>
  `${formatValue(point.value)} at step ${point.step}${first ? `  (${signed(point.value - first.value)})` : ""}`;

const signed = (difference: number): string => `${difference > 0 ? "+" : ""}${formatValue(difference)}`;

function stepsText(last: number | null, total: number | null): string {
  if (last === null) return "none";
  return total === null ? String(last) : `${last} of ${total}`;
}

const settingText = (value: unknown): string => (value === undefined ? "–" : JSON.stringify(value));
