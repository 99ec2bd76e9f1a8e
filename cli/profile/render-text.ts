import { bytesText } from "../../core/trainer/index.js";
import type { painter } from "../program/io.js";
import type { ProfileReport, Share } from "./report.js";

const BAR = 24;
/** Kinds of operators and parts of the model beyond so many are summed up. */
const MOST_ROWS = 8;

/** The report in lines: stages with what they did, operators, memory. */
export function profileLines(report: ProfileReport, paint: ReturnType<typeof painter>): string[] {
  const { steps, warmUp, stepSeconds, stages, operators, memory } = report;
  const lines = [
    `${paint("bold", `A step takes ${timeText(stepSeconds)}`)} (mean of ${steps}${warmUp > 0 ? ` after ${warmUp} to warm up` : ""})`,
    "",
  ];
  for (const stage of stages) {
    const peak = stage.peakBytes > 0 ? `  ${bytesText(stage.peakBytes)}` : "";
    lines.push(paint("bold", row(stage, "")) + peak);
    for (const part of stage.parts) {
      const calls = part.calls > 0 ? `  ${Number(part.calls.toFixed(1))} calls` : "";
      lines.push(paint("dim", row(part, "  ") + calls));
    }
  }
  for (const { purpose, seconds, parts, kinds } of operators) {
    lines.push("", `${paint("bold", `Operators, ${purpose}`)} (${timeText(seconds)} in all steps)`);
    for (const part of topOf(parts)) lines.push(row(part, "  "));
    lines.push(paint("dim", "  by kind"));
    for (const kind of topOf(kinds)) lines.push(row(kind, "  "));
  }
  if (operators.length === 0) lines.push("", "The engine gives no times of its operators.");
  const where = memory.peakStage === null ? "" : `, in the stage "${memory.peakStage}"`;
  lines.push("", `${paint("bold", `At most ${bytesText(memory.peakBytes)} of memory`)}${where}`);
  const held = memory.parts.map(({ owner, name, bytes }) => ({ name: `${owner}: ${name}`, bytes, is: "estimated" }));
  for (const { name, bytes, is } of [...held, { name: "the rest", bytes: memory.restBytes, is: "" }]) {
    const share = memory.peakBytes > 0 ? bytes / memory.peakBytes : 0;
    lines.push(`  ${name.padEnd(42)} ${bytesText(bytes).padStart(8)}  ${bar(share)}${is && `  ${is}`}`.trimEnd());
  }
  return lines;
}

function row({ name, seconds, share }: Share, indent: string): string {
  const percent = `${(100 * share).toFixed(0)} %`.padStart(5);
  return `${indent}${name.padEnd(30 - indent.length)} ${timeText(seconds).padStart(8)} ${percent}  ${bar(share)}`;
}

/** `12.3 s`, `45 ms`, `0.8 ms`. */
function timeText(seconds: number): string {
  if (seconds >= 1) return `${seconds.toFixed(seconds < 100 ? 1 : 0)} s`;
  const ms = seconds * 1000;
  return `${ms.toFixed(ms < 10 ? 1 : 0)} ms`;
}

function bar(share: number): string {
  return "█".repeat(Math.round(Math.min(1, share) * BAR)).padEnd(BAR, "·");
}

function topOf(shares: readonly Share[]): Share[] {
  const [top, others] = [shares.slice(0, MOST_ROWS), shares.slice(MOST_ROWS)];
  if (others.length === 0) return top;
  const sum = (of: (share: Share) => number) => others.reduce((total, share) => total + of(share), 0);
  return [...top, { name: `${others.length} others`, seconds: sum((o) => o.seconds), share: sum((o) => o.share) }];
}
