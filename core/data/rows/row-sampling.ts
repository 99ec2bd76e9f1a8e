import { shown } from "../../host/util/shown.js";
import type { Dataset } from "./dataset.js";
import { type BadRow, MAX_BAD_ROWS, refuseBadRows } from "./raw-row.js";

/** Most sessions that a row may ask for by `__rollout_n__`: all of them are begun at once. */
export const MAX_ROW_SESSIONS = 10_000;

type Columns = Readonly<Record<string, unknown>>;

/** What is wrong with the columns of a row that say how it is sampled; null: nothing. */
function whatIsWrong({ __rollout_n__: sessions, __do_sample__: sampled }: Columns): string | null {
  const isCount = Number.isInteger(sessions) && Number(sessions) >= 1 && Number(sessions) <= MAX_ROW_SESSIONS;
  if (sessions !== undefined && sessions !== null && !isCount) {
    const most = MAX_ROW_SESSIONS.toLocaleString("en");
    return `has ${told(sessions)} in column __rollout_n__: expected a whole number from 1 to ${most}`;
  }
  if (sampled !== undefined && sampled !== null && typeof sampled !== "boolean") {
    return `has ${told(sampled)} in column __do_sample__: expected true or false`;
  }
  return null;
}

/** JSON knows no NaN. */
const told = (value: unknown) => (typeof value === "number" ? String(value) : shown(value));

/** Before anything starts: how rows want to be sampled can be done. @throws VERL_DATA_BAD_ROW with file and line */
export function checkRowSampling(datasets: readonly Pick<Dataset, "length" | "at">[]): void {
  const bad: BadRow[] = [];
  for (const dataset of datasets) {
    for (let index = 0; index < dataset.length && bad.length < MAX_BAD_ROWS; index++) {
      const { row, origin } = dataset.at(index);
      const what = whatIsWrong(row);
      if (what) bad.push({ origin, what });
    }
  }
  refuseBadRows(bad);
}
