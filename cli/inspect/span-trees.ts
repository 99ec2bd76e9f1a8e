import { ATTRIBUTE } from "../../core/plugin.js";
import { type ReadSpan, readSpans } from "../../core/tracing/index.js";
import type { Selection } from "./select.js";

/** A trace that has ended: its root, and everything in it by time. */
export interface SpanTree {
  readonly root: ReadSpan;
  readonly nodes: readonly { readonly span: ReadSpan; readonly depth: number }[];
}

/** As of trajectories; `uid` is the beginning of a session's `uid_session`. */
export type SpanSelection = Omit<Selection, "stop">;

export interface SelectedTraces {
  readonly traces: readonly SpanTree[];
  readonly matching: number;
  readonly total: number;
  /** Traces whose root never ended: the run was killed, or still goes on. */
  readonly unfinished: number;
  /** Over the sessions that match. */
  readonly sessions: number;
  readonly seconds: Readonly<Record<"session" | "generate" | "tool" | "reward", number>>;
}

/** A trace whose root has ended. */
interface EndedTrace {
  readonly root: ReadSpan;
  readonly inside: ReadSpan[];
  readonly isMatch: boolean;
}

/** What was cancelled may end a little later than the root that it is in: so many traces back it is still looked for. */
const REMEMBERED = 10_000;

/** Reads a file once; keeps no more than what will be shown, what has not ended yet, and the last that have. */
export async function selectTraces(file: string, selection: SpanSelection): Promise<SelectedTraces> {
  const open = new Map<string, ReadSpan[]>();
  const ended = new Map<string, EndedTrace>();
  const kept: { readonly trace: EndedTrace; readonly rank: number }[] = [];
  const seconds = { session: 0, generate: 0, tool: 0, reward: 0 };
  let [matching, total, sessions] = [0, 0, 0];
  const count = (span: ReadSpan) => {
    const kind = kindOf(span);
    if (kind in seconds) seconds[kind as keyof typeof seconds] += secondsOf(span);
  };
  for await (const span of readSpans(file)) {
    const { traceId } = span;
    if (span.parentSpanId !== null) {
      const late = ended.get(traceId);
      if (late?.isMatch) count(span);
      const inside = late?.inside ?? open.get(traceId) ?? [];
      inside.push(span);
      if (!late) open.set(traceId, inside);
      continue;
    }
    const trace = { root: span, inside: open.get(traceId) ?? [], isMatch: matches(span, selection) };
    open.delete(traceId);
    ended.set(traceId, trace);
    if (ended.size > REMEMBERED) ended.delete(ended.keys().next().value as string);
    total++;
    if (!trace.isMatch) continue;
    matching++;
    if (kindOf(span) === "session") sessions++;
    for (const each of [span, ...trace.inside]) count(each);
    const rank = RANKS[selection.order](span);
    const at = kept.findIndex((other) => other.rank > rank);
    kept.splice(at === -1 ? kept.length : at, 0, { trace, rank });
    if (kept.length > selection.limit) kept.pop();
  }
  const traces = kept.map(({ trace: { root, inside } }) => treeOf(root, inside));
  return { traces, matching, total, unfinished: open.size, sessions, seconds };
}

export const secondsOf = ({ start, end }: ReadSpan): number => Math.max(0, end - start) / 1000;
export const kindOf = ({ attributes }: ReadSpan): string => String(attributes[ATTRIBUTE.kind] ?? "");

function matches(root: ReadSpan, { steps, split, uid, source }: SpanSelection): boolean {
  const { attributes } = root;
  const step = attributes[ATTRIBUTE.step];
  if (steps !== null && !(typeof step === "number" && step >= steps[0] && step <= steps[1])) return false;
  // Of steps it says nothing: what asks for sessions is not answered with them.
  if (split !== null && attributes[ATTRIBUTE.validate] !== (split === "val")) return false;
  if (uid !== null && !String(attributes[ATTRIBUTE.trajectory] ?? "").startsWith(uid)) return false;
  return source === null || attributes[ATTRIBUTE.dataSource] === source;
}

/** Depth first, each span's children in the order of their beginnings; what has lost its parent hangs on the root. */
function treeOf(root: ReadSpan, inside: readonly ReadSpan[]): SpanTree {
  const known = new Set([root.spanId, ...inside.map(({ spanId }) => spanId)]);
  const children = new Map<string, ReadSpan[]>();
  for (const span of [...inside].sort((a, b) => a.start - b.start)) {
    const parent = span.parentSpanId !== null && known.has(span.parentSpanId) ? span.parentSpanId : root.spanId;
    const siblings = children.get(parent);
    if (siblings) siblings.push(span);
    else children.set(parent, [span]);
  }
  const nodes: { span: ReadSpan; depth: number }[] = [];
  const seen = new Set<string>();
  const stack = [{ span: root, depth: 0 }];
  for (let next = stack.pop(); next; next = stack.pop()) {
    // Two spans of one id would go round for ever.
    if (seen.has(next.span.spanId)) continue;
    seen.add(next.span.spanId);
    nodes.push(next);
    const { span, depth } = next;
    stack.push(...(children.get(span.spanId) ?? []).reverse().map((child) => ({ span: child, depth: depth + 1 })));
  }
  return { root, nodes: nodes.slice(1) };
}

const scoreOf = ({ attributes }: ReadSpan) => {
  const score = attributes[ATTRIBUTE.score];
  return typeof score === "number" ? score : null;
};

/** Smaller comes first. */
const RANKS: Readonly<Record<SpanSelection["order"], (root: ReadSpan) => number>> = {
  file: () => 0,
  longest: (root) => -secondsOf(root),
  worst: (root) => scoreOf(root) ?? Number.POSITIVE_INFINITY,
  best: (root) => -(scoreOf(root) ?? Number.NEGATIVE_INFINITY),
  // Of log-probabilities spans know nothing.
  gap: () => 0,
};
