import { ATTRIBUTE } from "../../core/plugin.js";
import type { ReadSpan } from "../../core/tracing/index.js";
import { formatValue } from "../../core/tracking/index.js";
import { painter } from "../program/io.js";
import { type SelectedTraces, type SpanTree, secondsOf } from "./span-trees.js";
import { oneLine } from "./terminal-text.js";

const LONGEST_NAME = 34;
const WIDEST_BAR = 40;
const DEEPEST = 10;

/** Traces, each with what happened in it against its own time. */
export function spanTexts(
  traces: readonly SpanTree[],
  { color, columns }: { readonly color: boolean; readonly columns: number },
): string {
  const paint = painter(color);
  const blocks = traces.map((tree) => {
    const names = tree.nodes.map(({ span, depth }) => `${indent(depth)}${oneLine(span.name, LONGEST_NAME)}`);
    const width = Math.max(0, ...names.map((name) => name.length));
    const barWidth = Math.max(8, Math.min(WIDEST_BAR, columns - width - 40));
    const lines = tree.nodes.map(({ span }, i) => {
      const name = names[i].padEnd(width);
      const facts = factsOf(span).join(", ");
      const text = `${name} ${barOf(span, tree.root, barWidth)} ${secondsText(span).padStart(8)}`;
      return `${span.isError ? paint("red", text) : text}  ${paint("dim", oneLine(facts, Math.max(20, columns)))}`;
    });
    return [headOf(tree.root, paint), ...lines].join("\n");
  });
  return blocks.join("\n\n");
}

/** What was found, in one line: how many traces, and what sessions took on average. */
export function spanSummary({ traces, matching, total, unfinished, sessions, seconds }: SelectedTraces): string {
  const mean = (kind: keyof typeof seconds) => `${formatValue(seconds[kind] / sessions)} s`;
  return [
    `${matching === total ? total : `${matching} of ${total}`} traces`,
    ...(unfinished > 0 ? [`${unfinished} more unfinished`] : []),
    ...(sessions > 0
      ? [
          `${sessions} sessions of ${mean("session")} each (turns ${mean("generate")}, tools ${mean("tool")}, rewards ${mean("reward")})`,
        ]
      : []),
    ...(traces.length < matching ? [`${traces.length} shown`] : []),
  ].join(", ");
}

function headOf(root: ReadSpan, paint: ReturnType<typeof painter>): string {
  const { attributes } = root;
  const { [ATTRIBUTE.step]: step, [ATTRIBUTE.validate]: isValidated } = attributes;
  const title = String(attributes[ATTRIBUTE.trajectory] ?? root.name);
  const place = [
    ...(step === undefined ? [] : [`step ${step}`]),
    ...(typeof isValidated === "boolean" ? [isValidated ? "val" : "train"] : []),
    ...(title === root.name ? [] : [root.name]),
    secondsText(root),
    ...factsOf(root),
  ];
  return `${paint("bold", oneLine(title, 80))}  ${paint("dim", oneLine(place.join(", "), 200))}`;
}

function factsOf({ attributes, isError }: ReadSpan): string[] {
  const { [ATTRIBUTE.inputTokens]: prompt, [ATTRIBUTE.outputTokens]: response } = attributes;
  const { [ATTRIBUTE.outcome]: outcome, [ATTRIBUTE.score]: score, [ATTRIBUTE.errorType]: error } = attributes;
  const reasons = attributes[ATTRIBUTE.finishReasons];
  return [
    ...(response === undefined ? [] : [`${prompt} → ${response} tokens`]),
    ...(Array.isArray(reasons) ? [reasons.join(", ")] : []),
    ...(outcome === undefined ? [] : [String(outcome)]),
    ...(typeof score === "number" ? [`score ${formatValue(score)}`] : []),
    ...(isError || (error !== undefined && error !== outcome) ? [`error ${error ?? ""}`.trim()] : []),
  ];
}

/** A file may nest spans without end; its lines stay lines. */
const indent = (depth: number) => "  ".repeat(Math.min(depth, DEEPEST));

const secondsText = (span: ReadSpan) => `${secondsOf(span).toFixed(3)} s`;

/** Where in its trace's time a span lies. */
function barOf(span: ReadSpan, root: ReadSpan, width: number): string {
  const whole = Math.max(root.end - root.start, Number.EPSILON);
  const at = (time: number) => Math.min(width, Math.max(0, ((time - root.start) / whole) * width));
  const from = Math.min(width - 1, Math.floor(at(span.start)));
  const to = Math.max(from + 1, Math.round(at(span.end)));
  return `▕${" ".repeat(from)}${"█".repeat(to - from)}${" ".repeat(width - to)}▏`;
}
