import { finalRows, type TrainingRow } from "../step/training-row.js";

/** Name in metrics, and in what agent loops spend. */
const PHASES = [
  ["generate_sequences", "generateSequences"],
  ["tool_calls", "toolCalls"],
  ["compute_score", "computeScore"],
] as const;

const PREFIX = "timing_s/agent_loop";

/**
 * Seconds that sessions spent on turns of the model, tool calls and their score (mean, longest and shortest), how often servers
 * preempted them where they tell, and where the slowest session's time went (verl's `agent_loop/…`). What nothing was spent on is left out.
 */
export function loopTimes(rows: readonly TrainingRow[]): Record<string, number> {
  const sessions = finalRows(rows);
  const spent = (row: TrainingRow, field: string) => row.metrics[field] ?? 0;
  const used = PHASES.filter(([, field]) => sessions.some((row) => spent(row, field) > 0));
  if (used.length === 0) return {};
  const known = sessions.filter(({ metrics }) => (metrics.numPreempted ?? -1) >= 0);
  const total = (row: TrainingRow) => PHASES.reduce((sum, [, field]) => sum + spent(row, field), 0);
  const slowest = sessions.reduce((best, row) => (total(row) > total(best) ? row : best));
  return {
    ...Object.assign(
      {},
      ...used.map(([name, field]) =>
        spread(
          `${PREFIX}/${name}`,
          sessions.map((row) => spent(row, field)),
        ),
      ),
    ),
    ...spread(
      `${PREFIX}/num_preempted`,
      known.map(({ metrics }) => metrics.numPreempted),
    ),
    ...Object.fromEntries(used.map(([name, field]) => [`${PREFIX}/slowest/${name}`, spent(slowest, field)])),
    [`${PREFIX}/slowest/prompt_length`]: slowest.promptIds.length,
    [`${PREFIX}/slowest/response_length`]: slowest.responseIds.length,
  };
}

/** Mean, largest and smallest of some values; nothing of none. */
export function spread(name: string, values: readonly number[]): Record<string, number> {
  if (values.length === 0) return {};
  return {
    [`${name}/mean`]: values.reduce((a, b) => a + b, 0) / values.length,
    [`${name}/max`]: values.reduce((a, b) => Math.max(a, b)),
    [`${name}/min`]: values.reduce((a, b) => Math.min(a, b)),
  };
}
