/** What the server answers to the page, which imports these types as well: nothing else is loaded from here. */

/** A run in the list. */
export interface RunSummary {
  readonly id: string;
  readonly name: string;
  readonly project: string | null;
  readonly experiment: string | null;
  readonly status: "running" | "completed" | "stopped";
  readonly lastStep: number | null;
  readonly totalSteps: number | null;
  readonly startedAt: string | null;
  /** When its metrics were last written. */
  readonly updatedAt: string | null;
  /** What people look at first, each under the name by which it was logged. */
  readonly headline: readonly HeadlineValue[];
  /** The metrics are still being read; what stands here is of their first part. */
  readonly reading: boolean;
  /** Lines of metrics.jsonl that could not be read. */
  readonly badLines: number;
  /** Why part of the run cannot be shown. */
  readonly problem: string | null;
}

export interface HeadlineValue {
  /** A key metric, or `validation`. */
  readonly kind: string;
  readonly name: string;
  readonly last: number;
  /** At most 40 values, evenly over the run. */
  readonly spark: readonly number[];
}

/** Part of a curve, thinned out: parallel lists. */
export interface Curve {
  readonly name: string;
  readonly steps: readonly number[];
  readonly values: readonly number[];
  /** Since the run's first line; null where the file has no times. */
  readonly seconds: readonly number[] | null;
  /** Logged values per point. */
  readonly stride: number;
  /** Values that are NaN or infinite. */
  readonly nonFinite: number;
}

/** One validation metric of a run. */
export interface ValidationRow {
  readonly name: string;
  readonly first: StepValue;
  readonly highest: StepValue;
  readonly last: StepValue;
  /** Half of the 95 % interval of the last value, over prompts; null where its standard error was not logged with it. */
  readonly interval: number | null;
}

interface StepValue {
  readonly step: number;
  readonly value: number;
}
