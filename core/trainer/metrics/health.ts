import type { RunConfig } from "../../config/run-config.js";
import type { Logger } from "../../host/types.js";
import { STALENESS } from "../../tracking/index.js";

type Metrics = Readonly<Record<string, number>>;
type Thresholds = RunConfig["trainer"]["health"];
type AlarmKind = Exclude<keyof Thresholds, "stalled_after_s">;

/** Something that went beyond its threshold, over the whole run. */
export interface Alarm {
  readonly kind: AlarmKind;
  readonly threshold: number;
  readonly worst: { readonly value: number; readonly step: number };
  /** In how many steps. */
  readonly steps: number;
  readonly advice: string;
}

interface Check {
  readonly what: string;
  readonly value: (metrics: Metrics, groups: number) => number | undefined;
  /** Steps in a row: a share of few groups is noise. */
  readonly patience: number;
  readonly advice: string;
}

const EVICTED = "training/rollout_failure/evicted_samples";
const FAILED = ["training/rollout_failure/kept_samples", "training/rollout_failure/empty_samples", EVICTED];

const CHECKS: Readonly<Record<AlarmKind, Check>> = {
  sampler_gap: {
    what: "sampler and trainer disagree on a token by {} nats on average",
    value: (metrics) => metrics["training/sampler_gap/mean"],
    patience: 1,
    advice:
      "`verl inspect RUN --sort gap` shows where; look for stale weights, another chat template or dtype, settings that only one of them knows, and rollout.quantization. algorithm.rollout_correction bears a small gap",
  },
  uniform_groups: {
    what: "{%} of the prompts teach nothing: all their samples have one score",
    value: (metrics, groups) => share(metrics["training/uniform_groups"], groups),
    patience: 3,
    advice: "take easier or harder prompts, more samples (rollout.n), or algorithm.filter_groups.enable=true",
  },
  skipped_updates: {
    what: "{} updates were skipped: their loss or gradient was no number",
    value: (metrics) => sum(metrics, ["actor/skipped_updates", "critic/skipped_updates"]),
    patience: 1,
    advice:
      "lower the learning rate, or look for rewards and advantages of an absurd size; trainer.max_skipped_updates in a row end the run",
  },
  failed_rewards: {
    what: "scoring failed for {%} of the trajectories",
    value: (metrics) => metrics["reward/failed_ratio"],
    patience: 1,
    advice:
      "the warnings hold the first reason; `verl debug rollout` tries the reward alone; reward.on_error says what failures become",
  },
  failed_groups: {
    what: "a session failed in {%} of the prompt groups",
    // Others have taken the place of those that were evicted.
    value: (metrics, groups) => share(sum(metrics, FAILED), groups + (metrics[EVICTED] ?? 0)),
    patience: 1,
    advice: "the warnings name the sessions; look at the agent loop, its tools, and the inference server",
  },
  truncated_responses: {
    what: "{%} of the responses are cut at the limit on their length",
    value: (metrics) => metrics["response_length/clip_ratio"],
    patience: 3,
    advice:
      "raise data.max_response_length, or see in `verl inspect RUN --stop length` whether the model ever ends an answer",
  },
  staleness: {
    what: "trajectories were sampled by weights {} steps old",
    value: (metrics) => metrics[STALENESS],
    patience: 1,
    advice:
      "let the trainer keep up: fewer prompts in flight, more training processes, or a lower trainer.v1.sampler.max_off_policy_threshold",
  },
};

/** Compares every step with the thresholds of `trainer.health`; warns once per kind, and keeps count for the end. */
export class HealthMonitor {
  readonly #alarms = new Map<AlarmKind, Alarm>();
  readonly #streaks = new Map<AlarmKind, number>();

  constructor(
    private readonly thresholds: Thresholds,
    private readonly groups: number,
    private readonly logger: Pick<Logger, "warn">,
    /** The run's folder, as a user would type it. */
    private readonly folder: string,
  ) {}

  check(metrics: Metrics, step: number): void {
    for (const [kind, { what, value: read, patience, advice: general }] of Object.entries(CHECKS) as [
      AlarmKind,
      Check,
    ][]) {
      const advice = general.replace("RUN", this.folder);
      const threshold = this.thresholds[kind];
      const value = read(metrics, this.groups);
      if (threshold === null || value === undefined) continue;
      // What is no number is beyond any threshold.
      const isBeyond = !(value <= threshold);
      const streak = isBeyond ? (this.#streaks.get(kind) ?? 0) + 1 : 0;
      this.#streaks.set(kind, streak);
      if (streak < patience) continue;
      const before = this.#alarms.get(kind);
      if (!before)
        this.logger.warn(`step ${step}: ${worded(what, value)} (trainer.health.${kind}=${threshold}); ${advice}`);
      const worst = before && !(value > before.worst.value) ? before.worst : { value, step };
      this.#alarms.set(kind, { kind, threshold, worst, steps: (before?.steps ?? patience - 1) + 1, advice });
    }
  }

  get alarms(): readonly Alarm[] {
    return [...this.#alarms.values()];
  }
}

/** One line for each alarm of a run. */
export function alarmLines(alarms: readonly Alarm[]): string[] {
  return alarms.map(({ kind, worst, steps }) => {
    const text = worded(CHECKS[kind].what, worst.value);
    return `${text} at step ${worst.step}${steps > 1 ? `; beyond the threshold in ${steps} steps` : ""} (trainer.health.${kind})`;
  });
}

const worded = (what: string, value: number): string =>
  what.replace("{%}", `${Math.round(100 * value)} %`).replace("{}", String(Number(value.toPrecision(2))));

/** Of those that there are; undefined where there is none. */
function sum(metrics: Metrics, names: readonly string[]): number | undefined {
  const found = names.flatMap((name) => (name in metrics ? [metrics[name]] : []));
  return found.length === 0 ? undefined : found.reduce((a, b) => a + b, 0);
}

const share = (count: number | undefined, groups: number): number | undefined =>
  count === undefined || groups === 0 ? undefined : count / groups;
