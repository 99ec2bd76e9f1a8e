import {
  type BoundedSeries,
  formatDuration,
  formatNumber,
  formatValue,
  type KeyMetric,
  STALENESS,
  sparkline,
} from "../../core/tracking/index.js";
import { painter } from "../program/io.js";
import { blockChart } from "./block-chart.js";
import type { TuiState } from "./state.js";
import { cutText, fitText, textWidth } from "./text-width.js";

export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

/** Lines whose text was fitted to the screen before it was coloured. */
interface Block {
  readonly lines: readonly string[];
  /** Blocks of lower rank go first where the screen is too low. */
  readonly rank: number;
}
/** Rank of what is never left out. */
const ALWAYS = 9;

const ROWS: readonly { readonly metric: KeyMetric; readonly label: string; readonly unit?: string }[] = [
  { metric: "length", label: "length", unit: "tokens" },
  { metric: "entropy", label: "entropy" },
  { metric: "kl", label: "KL to reference" },
  { metric: "gapMax", label: "sampler gap", unit: "nats" },
  { metric: "throughput", label: "speed", unit: "tok/s" },
  { metric: "stepSeconds", label: "step", unit: "s" },
];
const CURVE = 30;

/** How to end a run, in as many words as fit. */
const HINTS = [
  "Ctrl-C finishes this step and saves; twice aborts",
  "Ctrl-C ends after this step",
  "Ctrl-C ends the run",
  "Ctrl-C ends",
  "Ctrl-C",
  "^C",
];

/** The whole screen, at most `rows` lines of at most `columns` columns. */
export function renderScreen(state: TuiState, { columns, rows }: ScreenSize, color: boolean): string[] {
  const hint = painter(color)("dim", fitText(HINTS.find((text) => text.length <= columns) ?? "", columns));
  const blocks: Block[] = [
    { lines: header(state, columns, color), rank: ALWAYS },
    ...pictures(state, columns, Math.max(3, Math.min(10, Math.floor(rows / 4))), color),
    { lines: notes(state, columns, color), rank: 8 },
    { lines: [hint], rank: ALWAYS },
  ];
  const lines = stacked(blocks, rows);
  if (lines.length <= rows) return lines;
  // Too low for gaps: the first lines, the table as far as it goes, and how to end the run.
  const [title, ...phase] = header(state, columns, color);
  const above = rows > 2 ? [title, ...phase] : [title];
  const middle = table(state, columns, color).slice(0, Math.max(0, rows - above.length - 1));
  return [...above, ...middle, hint].slice(0, rows);
}

/** What is worth keeping of the screen when the run has ended, without colours. */
export const renderSummary = (state: TuiState, columns: number): string[] =>
  stacked(pictures(state, columns, 10, false), Number.POSITIVE_INFINITY);

function pictures(state: TuiState, columns: number, chartHeight: number, color: boolean): Block[] {
  return [
    { lines: chart(state, columns, chartHeight, color), rank: 7 },
    { lines: table(state, columns, color), rank: ALWAYS },
    { lines: samples(state, columns, color), rank: 5 },
  ];
}

/** One below the other with a line between, without the least important ones where they do not all fit. */
function stacked(blocks: readonly Block[], rows: number): string[] {
  const kept = blocks.filter(({ lines }) => lines.length > 0);
  const height = () => kept.reduce((sum, { lines }) => sum + lines.length + 1, -1);
  while (height() > rows) {
    const least = kept.reduce((worst, block) => (block.rank < worst.rank ? block : worst));
    if (least.rank >= ALWAYS) break;
    kept.splice(kept.indexOf(least), 1);
  }
  return kept.flatMap(({ lines }, i) => (i === 0 ? lines : ["", ...lines]));
}

function header(state: TuiState, columns: number, color: boolean): string[] {
  const paint = painter(color);
  const { step, totalSteps, secondsLeft, progress } = state;
  const elapsed = formatDuration((performance.now() - state.startedAt) / 1000);
  const eta = secondsLeft === null ? "" : `, eta ${formatDuration(secondsLeft)}`;
  const right = `step ${step}/${totalSteps}  ${bar(step, totalSteps, columns)}  ${elapsed}${eta}`;
  const left = fitText(state.title, Math.min(columns, Math.max(8, columns - textWidth(right) - 2)), true);
  const rest = fitText(right, columns - textWidth(left) - 2);
  const lines = [rest === "" ? paint("bold", left) : `${paint("bold", left)}  ${rest}`];
  if (progress && progress.step >= step) lines.push(paint("dim", fitText(phaseText(state, columns), columns)));
  return lines;
}

function phaseText({ progress, progressSince }: TuiState, columns: number): string {
  if (!progress) return "";
  const { step, phase, done, total } = progress;
  const parts = [`step ${step}: ${phase}`];
  if (done !== undefined && total) parts.push(`${bar(done, total, columns)} ${done}/${total}`);
  const seconds = (performance.now() - progressSince) / 1000;
  if (seconds >= 1) parts.push(formatDuration(Math.floor(seconds)));
  return parts.join("  ");
}

const bar = (done: number, total: number, columns: number): string => {
  const length = columns < 90 ? 8 : 24;
  const filled = total > 0 ? Math.round(length * Math.min(1, done / total)) : 0;
  return "━".repeat(filled) + "╌".repeat(length - filled);
};

/** The reward, or the loss of a training without one. */
function chart(state: TuiState, columns: number, height: number, color: boolean): string[] {
  const [label, series] = state.curve("reward")
    ? (["reward", state.curve("reward")] as const)
    : (["loss", state.curve("loss")] as const);
  if (!series) return [];
  const paint = painter(color);
  const title = `${label} ${series.last ? formatNumber(series.last.value) : "–"}${changeText(series)}`;
  return [
    paint("bold", fitText(title, columns)),
    ...blockChart(series.points(), columns, height).map((line) => paint("green", fitChart(line, columns))),
  ];
}

/** Blocks are single columns, and spaces must stay. */
const fitChart = (line: string, columns: number): string => line.slice(0, columns);

function table(state: TuiState, columns: number, color: boolean): string[] {
  const paint = painter(color);
  const rows: (readonly [string, string, BoundedSeries])[] = [];
  for (const { source, series } of state.validations().slice(0, 4)) rows.push([`validation ${source}`, "", series]);
  for (const { metric, label, unit } of ROWS) {
    const series = state.curve(metric);
    if (series) rows.push([label, unit ?? "", series]);
  }
  const stale = state.series.get(STALENESS);
  if (stale) rows.push(["staleness", "steps", stale]);
  const width = rows.reduce((longest, [label]) => Math.max(longest, Math.min(28, textWidth(label))), 0);
  return rows.map(([label, unit, series]) => {
    const value = series.last ? formatValue(series.last.value) : "–";
    const plain = `${fitText(label, width, true)}  ${value.padStart(8)} ${unit.padEnd(6)}  ${sparkline(evenly(series), CURVE)}`;
    const line = cutText(plain, columns);
    return series.nonFinite > 0 && series.last === null ? paint("red", line) : line;
  });
}

/** Point after point: validations are many steps apart. */
const evenly = (series: BoundedSeries) => series.points().map(({ value }, step) => ({ step, value }));

function samples({ samples: records }: TuiState, columns: number, color: boolean): string[] {
  const paint = painter(color);
  if (records.length === 0) return [];
  const lines = records.slice(0, 4).map(({ score, promptText, responseText, split }) => {
    const head = `${(score === null ? "none" : formatValue(score)).padStart(6)}  ${split === "val" ? "val    " : "train  "}`;
    const text = `${promptText.trim().slice(-200)} → ${responseText}`;
    return cutText(`${head}${fitText(text, columns - head.length)}`, columns);
  });
  return [paint("bold", fitText("latest samples", columns)), ...lines];
}

function notes({ notes: all }: TuiState, columns: number, color: boolean): string[] {
  const paint = painter(color);
  const shown = all.slice(-4);
  if (shown.length === 0) return [];
  return shown.map(({ text, isWarning }) => {
    const line = fitText(text, columns);
    return isWarning ? paint("yellow", line) : paint("dim", line);
  });
}

function changeText(series: BoundedSeries): string {
  if (!series.first || !series.last || series.first.step === series.last.step) return "";
  const change = series.last.value - series.first.value;
  return ` (${change > 0 ? "+" : ""}${formatNumber(change)} since step ${series.first.step})`;
}
