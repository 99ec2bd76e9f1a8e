import { diffConfigs, toPlain } from "../../core/config/index.js";
import type { JsonValue } from "../../core/plugin.js";
import { KEY_METRICS, type KeyMetric, nameOf, type Point, validationScores } from "../../core/tracking/index.js";
import { matches } from "../program/metric-pattern.js";
import type { ComparedRun } from "./load-run.js";

/** Share of a curve whose mean is its final value: a single step of training is noise. */
const FINAL_SHARE = 0.1;
/** Normal quantile of a 95 % interval. */
const Z95 = 1.96;

/** One metric of one run. */
export interface MetricSummary {
  /** Mean over the last tenth of the steps. */
  readonly final: number;
  /** Only where one direction is better. */
  readonly best: Point | null;
  readonly points: readonly Point[];
}

export interface MetricComparison {
  readonly name: string;
  /** One per run; null where it did not log the metric. */
  readonly runs: readonly (MetricSummary | null)[];
}

/** One validation score of one run. */
export interface ScoreSummary {
  readonly first: Point;
  readonly last: Point;
  readonly best: Point;
  /** Half of the 95 % interval of the last one; null where the run did not log its standard error. */
  readonly interval: number | null;
  readonly points: readonly Point[];
}

export interface ScoreComparison {
  readonly name: string;
  readonly runs: readonly (ScoreSummary | null)[];
}

export interface SettingComparison {
  readonly key: string;
  /** Undefined where the run has no such key, or kept no configuration. */
  readonly values: readonly (JsonValue | undefined)[];
}

export interface Comparison {
  readonly runs: readonly ComparedRun[];
  readonly metrics: readonly MetricComparison[];
  readonly scores: readonly ScoreComparison[];
  readonly settings: readonly SettingComparison[];
}

/** `patterns` add metrics to those that people look at first; `*` stands for any text. */
export function compareRuns(runs: readonly ComparedRun[], patterns: readonly string[]): Comparison {
  const names = [...new Set(runs.flatMap(({ series }) => [...series.keys()]))];
  const keyNames = (Object.keys(KEY_METRICS) as KeyMetric[]).flatMap((metric) => {
    // The loss says little beside a reward.
    if (metric === "loss" && names.some((name) => (KEY_METRICS.reward as readonly string[]).includes(name))) return [];
    return [nameOf(metric, (name) => names.includes(name)) ?? []].flat();
  });
  const asked = names.filter((name) => patterns.some((pattern) => matches(name, pattern)));
  return {
    runs,
    metrics: [...new Set([...keyNames, ...asked])].map((name) => ({
      name,
      runs: runs.map(({ series }) => metricSummary(name, series.get(name) ?? [])),
    })),
    scores: validationScores(names).map(({ name }) => ({
      name,
      runs: runs.map(({ series }) => scoreSummary(name, series)),
    })),
    settings: settingsThatDiffer(runs),
  };
}

function metricSummary(name: string, all: readonly Point[]): MetricSummary | null {
  const points = all.filter(({ value }) => Number.isFinite(value));
  if (points.length === 0) return null;
  const tail = points.slice(-Math.max(1, Math.round(points.length * FINAL_SHARE)));
  return { final: tail.reduce((sum, { value }) => sum + value, 0) / tail.length, best: bestOf(name, points), points };
}

const HIGHER: readonly string[] = [...KEY_METRICS.reward, ...KEY_METRICS.throughput];

function bestOf(name: string, points: readonly Point[]): Point | null {
  return HIGHER.includes(name) ? highest(points) : null;
}

function scoreSummary(name: string, series: ComparedRun["series"]): ScoreSummary | null {
  const points = (series.get(name) ?? []).filter(({ value }) => Number.isFinite(value));
  if (points.length === 0) return null;
  const last = points[points.length - 1];
  const errors = series.get(`${name.replace(/^val-core\//, "val-aux/")}/stderr`) ?? [];
  const error = errors.find(({ step }) => step === last.step)?.value;
  return { first: points[0], last, best: highest(points), interval: error === undefined ? null : Z95 * error, points };
}

const highest = (points: readonly Point[]): Point => points.reduce((a, b) => (b.value > a.value ? b : a));

/** Half of the 95 % interval of a difference; null where one of the two has none. */
export function differenceInterval(a: ScoreSummary, b: ScoreSummary): number | null {
  return a.interval === null || b.interval === null ? null : Math.hypot(a.interval, b.interval);
}

/** Keys on which any of the runs that kept their configuration differs from the first. */
export function settingsThatDiffer(runs: readonly Pick<ComparedRun, "config">[]): SettingComparison[] {
  const [first, ...others] = runs.map(({ config }) => config);
  if (!first) return [];
  const found = new Map<string, (JsonValue | undefined)[]>();
  others.forEach((config, i) => {
    for (const { key, before, after } of config ? diffConfigs(first, config) : []) {
      const value = before ? toPlain(before) : undefined;
      // Where a run has the first one's value, it is not among its differences.
      const values = found.get(key) ?? runs.map((run) => (run.config ? value : undefined));
      values[i + 1] = after ? toPlain(after) : undefined;
      found.set(key, values);
    }
  });
  return [...found].map(([key, values]) => ({ key, values }));
}
