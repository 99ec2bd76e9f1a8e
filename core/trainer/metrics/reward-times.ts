import type { TrainingRow } from "../step/training-row.js";

/** Metric and the field of a row's metrics that it is made of, in seconds. */
const TIMES = [
  ["timing_s/reward_queue", "rewardQueue"],
  ["timing_s/compute_score", "computeScore"],
] as const;

/** Seconds that trajectories waited to be scored, and that scoring them took: the mean, and the longest (`…_max`). */
export function rewardTimes(rows: readonly TrainingRow[]): Record<string, number> {
  const scored = rows.filter(({ metrics }) => "rewardQueue" in metrics);
  if (scored.length === 0) return {};
  return Object.fromEntries(
    TIMES.flatMap(([name, field]) => {
      const seconds = scored.map(({ metrics }) => metrics[field]);
      return [
        [name, seconds.reduce((a, b) => a + b, 0) / seconds.length],
        [`${name}_max`, seconds.reduce((a, b) => Math.max(a, b))],
      ];
    }),
  );
}
