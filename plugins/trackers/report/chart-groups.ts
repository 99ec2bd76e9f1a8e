import type { Chart, SeriesStore } from "../../../core/tracking/index.js";

export interface ChartGroup {
  readonly prefix: string;
  readonly charts: readonly Chart[];
}

/** What is read most comes first; any other prefix follows in the order of appearance. */
const ORDER = [
  "val-core",
  "critic",
  "reward",
  "actor",
  "training",
  "response_length",
  "response",
  "response_length_non_aborted",
  "prompt_length",
  "rollout_corr",
  "val-aux",
  "global_seqlen",
  "perf",
  "timing_s",
  "timing_per_token_ms",
];

/** All metrics as charts, grouped by the part of their name before the first slash. */
export function groupCharts(store: SeriesStore): ChartGroup[] {
  const groups = new Map<string, Chart[]>();
  for (const chart of charts(store)) {
    const prefix = chart.title.split("/", 1)[0];
    groups.set(prefix, [...(groups.get(prefix) ?? []), chart]);
  }
  const rank = (prefix: string) => (ORDER.includes(prefix) ? ORDER.indexOf(prefix) : ORDER.indexOf("val-aux") - 0.5);
  return [...groups]
    .map(([prefix, list]) => ({ prefix, charts: list }))
    .sort((a, b) => rank(a.prefix) - rank(b.prefix));
}

/** `x/mean` with `x/min` and `x/max` beside it becomes one chart: a line within a band. */
function charts(store: SeriesStore): Chart[] {
  const result: Chart[] = [];
  for (const name of store.names()) {
    // A curve of the step over the step tells nothing.
    if (name === "training/global_step") continue;
    const match = /^(.+)\/(mean|min|max)$/.exec(name);
    const stem = match?.[1];
    const whole = stem !== undefined && ["mean", "min", "max"].every((part) => store.has(`${stem}/${part}`));
    const series = store.get(name);
    if (!series || (whole && match?.[2] !== "mean")) continue;
    const [low, high] = [store.get(`${stem}/min`), store.get(`${stem}/max`)];
    result.push(
      whole && low && high
        ? { title: stem, lines: [{ label: "mean", series }], band: { low, high }, note: "line: mean; area: min to max" }
        : { title: name, lines: [{ label: "value", series }] },
    );
  }
  return result;
}
