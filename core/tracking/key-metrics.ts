type Metrics = Readonly<Record<string, number>>;

/** What people look at first, by the names under which trainers log it; the first one present counts. */
export const KEY_METRICS = {
  reward: ["critic/rewards/mean", "critic/score/mean", "reward/mean"],
  length: ["response_length/mean"],
  entropy: ["actor/entropy"],
  /** To the reference policy. */
  kl: ["actor/kl_loss", "actor/reward_kl_penalty"],
  gapMean: ["training/sampler_gap/mean"],
  gapMax: ["training/sampler_gap/max"],
  throughput: ["perf/throughput"],
  stepSeconds: ["timing_s/step", "perf/time_per_step"],
  loss: ["actor/loss", "train/loss"],
} as const satisfies Record<string, readonly string[]>;

/** Steps by which the weights behind a trajectory were old, at worst. 0 in every step of mode `sync`, and shown where it is not. */
export const STALENESS = "training/off_policy/trajectory_staleness_worst/max";

export type KeyMetric = keyof typeof KEY_METRICS;

/** The name under which a key metric is present. */
export function nameOf(metric: KeyMetric, has: (name: string) => boolean): string | null {
  return KEY_METRICS[metric].find(has) ?? null;
}

export function keyMetric(metrics: Metrics, metric: KeyMetric): number | null {
  const name = nameOf(metric, (candidate) => candidate in metrics);
  return name === null ? null : metrics[name];
}

/** The headline of a validation: one `mean@n` per data source. */
export interface ValidationScore {
  readonly name: string;
  readonly dataSource: string;
  readonly variable: string;
}

/** `val-core/{data source}/{variable}/mean@{n}`; data sources may hold slashes. */
export function validationScores(names: Iterable<string>): ValidationScore[] {
  const scores: ValidationScore[] = [];
  for (const name of names) {
    const match = /^val-core\/(.+)\/([^/]+)\/mean@\d+$/.exec(name);
    if (match) scores.push({ name, dataSource: match[1], variable: match[2] });
  }
  return scores;
}
