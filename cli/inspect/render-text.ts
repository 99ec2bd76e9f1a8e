import { parseToolCalls, type ToolParser } from "../../core/agent/index.js";
import { type MediaRef, mediaLabel, uidOfKey } from "../../core/plugin.js";
import {
  formatNumber,
  formatValue,
  gapStatistics,
  segmentsOf,
  type TrajectoryRecord,
} from "../../core/tracking/index.js";
import { painter } from "../program/io.js";
import { formatTable } from "../program/table.js";
import type { MediaFiles } from "./media-files.js";
import type { Selected } from "./select.js";
import { oneLine, printable } from "./terminal-text.js";
import { type Heat, legend, responseText } from "./token-text.js";

export interface TextOptions {
  readonly heat: Heat;
  readonly color: boolean;
  readonly columns: number;
  /** Reads tool calls out of what the policy wrote. Null where nobody here reads the run's tool calls: they stand in the text alone. */
  readonly toolParser: ToolParser | null;
  /** A table of every token. */
  readonly tokens: boolean;
  readonly mediaFiles: MediaFiles;
}

/** What the files hold, in one line. */
export function summaryLine({ records, matching, total, steps, meanScore, stopReasons }: Selected): string {
  const span = steps && (steps[0] === steps[1] ? `step ${steps[0]}` : `steps ${steps[0]} to ${steps[1]}`);
  const parts = [`${matching === total ? total : `${matching} of ${total}`} trajectories`, span];
  if (meanScore !== null) parts.push(`mean score ${formatValue(meanScore)}`);
  const reasons = Object.entries(stopReasons).sort((a, b) => b[1] - a[1]);
  if (reasons.length > 0)
    parts.push(`stopped by ${reasons.map(([reason, n]) => `${printable(reason)} ${n}`).join(", ")}`);
  if (records.length < matching) parts.push(`${records.length} shown`);
  return parts.filter((part) => part !== null).join(", ");
}

/** Trajectories in full, those of one prompt under it. */
export function trajectoryTexts(records: readonly TrajectoryRecord[], options: TextOptions): string {
  const paint = painter(options.color);
  const lines = [paint("dim", legend(options.heat, options.color))];
  let prompt: string | null = null;
  for (const record of records) {
    const own = `${record.split} ${record.step} ${uidOfKey(record.key)}`;
    if (own !== prompt || record.key === "") {
      const place = [`step ${record.step}`, record.split, printable(record.dataSource), record.origin];
      lines.push(
        "",
        `${paint("bold", uidOfKey(record.key) || "trajectory")}  ${paint("dim", place.filter(Boolean).join(", "))}`,
      );
      lines.push(field("prompt", printable(record.promptText), options));
      const { media = [], promptIds = [] } = record;
      lines.push(
        ...mediaLines(
          media.filter(({ offset }) => offset < promptIds.length),
          options,
        ),
      );
      const truth = textOf(record.groundTruth);
      if (truth !== "") lines.push(field("truth", printable(truth), options));
    }
    prompt = own;
    lines.push(...trajectoryLines(record, options));
  }
  return lines.join("\n");
}

/** Prompts with their sessions, one line each. */
export function trajectoryTree(records: readonly TrajectoryRecord[], { color, columns }: TextOptions): string {
  const paint = painter(color);
  const lines: string[] = [];
  const groups = new Map<string, TrajectoryRecord[]>();
  for (const record of records) {
    const group = `${record.split} ${record.step} ${uidOfKey(record.key)}`;
    groups.set(group, [...(groups.get(group) ?? []), record]);
  }
  for (const [first, ...others] of groups.values()) {
    const head = `${uidOfKey(first.key) || "trajectory"}  step ${first.step}, ${first.split}`;
    lines.push(`${paint("bold", head)}  ${oneLine(first.promptText, Math.max(20, columns - head.length - 2))}`);
    const group = [first, ...others];
    for (const [i, record] of group.entries()) {
      const branch = i === group.length - 1 ? "└─" : "├─";
      const head = `${branch} ${sessionOf(record)}  ${scoreText(record)}  ${facts(record).join(", ")}`;
      lines.push(`${head}  ${paint("dim", oneLine(record.responseText, Math.max(20, columns - head.length - 2)))}`);
    }
  }
  return lines.join("\n");
}

function trajectoryLines(record: TrajectoryRecord, options: TextOptions): string[] {
  const paint = painter(options.color);
  const head = [`score ${paint("bold", scoreText(record))}`, ...facts(record)].join(", ");
  const lines = ["", `  ${paint("cyan", sessionOf(record).padEnd(8))} ${head}`];
  lines.push(field("response", responseText(record, options.heat, options.color), options));
  const { media = [], promptIds = [] } = record;
  lines.push(
    ...mediaLines(
      media.filter(({ offset }) => offset >= promptIds.length),
      options,
    ),
  );
  const parts = Object.entries(record.extra).filter(([name]) => name !== "score");
  if (parts.length > 0) {
    lines.push(
      field(
        "reward",
        parts.map(([name, value]) => `${printable(name)} ${printable(textOf(value))}`).join(", "),
        options,
      ),
    );
  }
  if (record.rewardMessage) lines.push(field("error", printable(record.rewardMessage), options));
  for (const call of toolCalls(record, options.toolParser)) lines.push(field("call", call, options));
  if (options.tokens) lines.push(indented(tokenTable(record), "    "));
  return lines;
}

/** The files of media, by the names that stand in the text; nothing for those that no file is kept of. */
function mediaLines(media: readonly MediaRef[], options: TextOptions): string[] {
  const distinct = new Map(media.map((medium) => [medium.id, medium]));
  return [...distinct.values()].flatMap((medium) => {
    const file = options.mediaFiles.get(medium.id);
    return file === undefined ? [] : [field(medium.kind, printable(`${mediaLabel(medium)} ${file}`), options)];
  });
}

/** What the policy asked tools for, turn by turn. */
function toolCalls(record: TrajectoryRecord, parser: ToolParser | null): string[] {
  if (parser === null) return [];
  const turns = segmentsOf(record).filter(({ sampled }) => sampled);
  const texts =
    turns.length > 0 ? turns.map(({ start, end }) => record.tokens.slice(start, end).join("")) : [record.responseText];
  return texts.flatMap((text, turn) => {
    const { calls, errors } = parseToolCalls(parser, text);
    const place = texts.length > 1 ? ` (turn ${turn + 1})` : "";
    return [
      ...calls.map(({ name, arguments: args }) => `${printable(name)} ${printable(args)}${place}`),
      ...errors.map(({ message }) => `malformed${place}: ${printable(message)}`),
    ];
  });
}

function facts(record: TrajectoryRecord): string[] {
  const { mask, stopReason, weightVersions, numTurns } = record;
  const found: string[] = [];
  const sampled = mask.filter((m) => m !== 0).length;
  if (mask.length > 0) {
    const of =
      sampled === mask.length
        ? `${sampled} token${sampled === 1 ? "" : "s"}`
        : `${sampled} of ${mask.length} tokens sampled`;
    found.push(of);
  }
  if (stopReason) found.push(`stop ${printable(stopReason)}`);
  if (numTurns !== undefined && numTurns > 2) found.push(`${numTurns} turns`);
  if (weightVersions) found.push(`weights ${[...new Set(weightVersions)].join("–")}`);
  const advantages = record.advantages?.filter((_, t) => mask[t] !== 0);
  if (advantages && advantages.length > 0) {
    const [low, high] = advantages.reduce(
      ([a, b], x) => [Math.min(a, x), Math.max(b, x)],
      [advantages[0], advantages[0]],
    );
    found.push(`advantage ${low === high ? formatNumber(low) : `${formatNumber(low)} to ${formatNumber(high)}`}`);
  }
  const gap = gapStatistics(record);
  if (gap) found.push(`gap mean ${formatNumber(gap.mean)}, max ${formatNumber(gap.max)} at token ${gap.at}`);
  return found;
}

function tokenTable(record: TrajectoryRecord): string {
  const number = (values: readonly number[] | null | undefined, t: number) =>
    values && record.mask[t] !== 0 ? values[t].toFixed(4) : "";
  const rows = record.tokens.map((token, t) => [
    String(t),
    String(record.responseIds?.[t] ?? ""),
    record.mask[t] === 0 ? "0" : "1",
    number(record.logProbs, t),
    number(record.trainerLogProbs, t),
    number(record.advantages, t),
    JSON.stringify(printable(token)),
  ]);
  return formatTable(["token", "id", "mask", "log p", "trainer", "advantage", "text"], rows);
}

/** `_{session}_{index}` of the key. */
const sessionOf = ({ key }: TrajectoryRecord): string => key.slice(uidOfKey(key).length) || "·";
const scoreText = ({ score }: TrajectoryRecord): string => (score === null ? "none" : formatValue(score));
const textOf = (value: unknown): string =>
  typeof value === "string" ? value : value === null ? "" : JSON.stringify(value);

function field(name: string, text: string, { color }: TextOptions): string {
  return `  ${painter(color)("cyan", name.padEnd(8))} ${indented(text, " ".repeat(11)).trimStart()}`;
}

const indented = (text: string, by: string): string => by + text.replaceAll("\n", `\n${by}`);
