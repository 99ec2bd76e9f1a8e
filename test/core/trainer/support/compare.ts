import type { MemoryTracker } from "../../../../testing/tracking/index.js";

const TIMES = /^(timing_s|timing_per_token_ms)\/|^perf\/(time_per_step|throughput)$/;

/** Metrics without times: what a repeated run must reproduce to the last bit. */
export function withoutTimes(data: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(data).filter(([name]) => !TIMES.test(name)));
}

export function reproducible(tracker: MemoryTracker): { step: number; data: Record<string, unknown> }[] {
  return tracker.steps.map(({ step, metrics }) => ({ step, data: withoutTimes(metrics) }));
}

/** Lines of a `metrics.jsonl`, without times. */
export function reproducibleLines(text: string): { step: number; data: Record<string, unknown> }[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as { step: number; data: Record<string, unknown> })
    .map(({ step, data }) => ({ step, data: withoutTimes(data) }));
}
