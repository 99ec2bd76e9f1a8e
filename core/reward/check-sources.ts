import type { Dataset } from "../data/rows/dataset.js";
import type { Row } from "../data/rows/row.js";
import { isVerlError } from "../host/errors.js";
import { rewardErrors } from "./errors.js";
import type { RewardManager } from "./reward.js";

/** Data source of rows that name none. */
export const UNKNOWN_SOURCE = "unknown";

/** `column` is `data.reward_fn_key`. */
export function dataSourceOf(row: Row, column = "data_source"): string {
  const source = row[column];
  return typeof source === "string" && source !== "" ? source : UNKNOWN_SOURCE;
}

/**
 * Before anything starts: every row that needs a scorer has one, or `VERL_REWARD_NO_SCORER` names the first one that cannot. Returns the
 * data sources, each with its first row.
 */
export function checkDataSources(
  manager: RewardManager,
  dataset: Pick<Dataset, "length" | "at">,
  column = "data_source",
  needsScorer: (row: Row) => boolean = () => true,
): ReadonlyMap<string, string> {
  const checked = new Map<string, string>();
  for (let index = 0; index < dataset.length; index++) {
    const { row, origin } = dataset.at(index);
    const source = dataSourceOf(row, column);
    if (checked.has(source) || !needsScorer(row)) continue;
    checked.set(source, origin);
    checkSource(manager, source, origin, column);
  }
  return checked;
}

function checkSource(manager: RewardManager, source: string, origin: string, column: string): void {
  const where = `dataset row ${origin}, column ${column}`;
  const missing = source === UNKNOWN_SOURCE ? `the row has no ${column}` : undefined;
  try {
    if (manager.supports(source)) return;
  } catch (error) {
    if (!isVerlError(error)) throw error;
    const { why, fix } = error;
    throw rewardErrors.VERL_REWARD_NO_SCORER({ what: missing ?? error.what, where, why, fix, cause: error });
  }
  throw rewardErrors.VERL_REWARD_NO_SCORER({ what: missing ?? `the reward manager cannot score "${source}"`, where });
}
