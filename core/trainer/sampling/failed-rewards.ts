import type { Logger } from "../../host/index.js";
import type { TrainingRow } from "../step/training-row.js";

/** Outcomes that count as 0 under the policy `zero`, and remain flagged. */
const FAILED: ReadonlySet<string> = new Set(["error", "timeout"]);

export const hasFailedReward = ({ outcome }: Pick<TrainingRow, "outcome">): boolean => FAILED.has(outcome);

/** A score that nobody gave must not pass for one that somebody did: one line, with the first reason. */
export function warnOfFailedRewards(rows: readonly TrainingRow[], where: string, logger: Logger): void {
  const failed = rows.filter(hasFailedReward);
  if (failed.length === 0) return;
  const { rewardMessage, origin, key, score } = failed[0];
  const then = score === null ? "they are left out" : "they count as 0";
  const reason = rewardMessage?.split("\n")[0] ?? (origin || key);
  logger.warn(`${where}: scoring failed for ${failed.length} of ${rows.length} trajectories, ${then}; ${reason}`);
}
