import {
  gapStatistics,
  readTrajectories,
  type TrajectoryFile,
  type TrajectoryRecord,
} from "../../core/tracking/index.js";
import type { ORDERS, SPLITS } from "./choices.js";

export interface Selection {
  /** First and last step. */
  readonly steps: readonly [first: number, last: number] | null;
  readonly split: (typeof SPLITS)[number] | null;
  /** Beginning of the trajectory's key: a prompt's uid, or one session of it. */
  readonly uid: string | null;
  readonly source: string | null;
  readonly stop: string | null;
  readonly order: (typeof ORDERS)[number];
  readonly limit: number;
}

/** Trajectories that match, and what the files hold in all. */
export interface Selected {
  /** At most `limit`, in the order asked for. */
  readonly records: readonly TrajectoryRecord[];
  readonly matching: number;
  readonly total: number;
  /** Steps of the files that were read. */
  readonly steps: readonly [first: number, last: number] | null;
  /** Over what matches. */
  readonly meanScore: number | null;
  readonly stopReasons: Readonly<Record<string, number>>;
}

/** Reads the files once; keeps no more than what will be shown. */
export async function select(files: readonly TrajectoryFile[], selection: Selection): Promise<Selected> {
  const kept = new Kept(selection.order, selection.limit);
  const stopReasons: Record<string, number> = {};
  const scores = { sum: 0, count: 0 };
  let [matching, total] = [0, 0];
  let steps: [number, number] | null = null;
  for await (const record of allTrajectories(files, selection)) {
    total++;
    steps = steps ? [Math.min(steps[0], record.step), Math.max(steps[1], record.step)] : [record.step, record.step];
    if (!matches(record, selection)) continue;
    matching++;
    kept.offer(record);
    const reason = record.stopReason ?? "unknown";
    stopReasons[reason] = (stopReasons[reason] ?? 0) + 1;
    if (record.score !== null) {
      scores.sum += record.score;
      scores.count++;
    }
  }
  const meanScore = scores.count === 0 ? null : scores.sum / scores.count;
  return { records: kept.records(), matching, total, steps, meanScore, stopReasons };
}

/** One after the other; files that hold nothing of the steps or the split are not opened. */
export async function* allTrajectories(
  files: readonly TrajectoryFile[],
  wanted: Pick<Selection, "steps" | "split">,
): AsyncGenerator<TrajectoryRecord> {
  for (const { file, split, step } of files) {
    if (step !== null && !isWithin(step, wanted.steps)) continue;
    if (split !== null && wanted.split !== null && split !== wanted.split) continue;
    for await (const read of readTrajectories(file)) {
      // A dump of the reference does not say which split it is; where `samples.jsonl` stands in for one, the rest is elsewhere.
      const record = step !== null && split !== null ? { ...read, split } : read;
      if (split === null || record.split === split) yield record;
    }
  }
}

function matches(record: TrajectoryRecord, { steps, split, uid, source, stop }: Selection): boolean {
  return (
    isWithin(record.step, steps) &&
    (split === null || record.split === split) &&
    (uid === null || record.key.startsWith(uid)) &&
    (source === null || record.dataSource === source) &&
    (stop === null || record.stopReason === stop)
  );
}

export const isWithin = (step: number, steps: Selection["steps"]) =>
  steps === null || (step >= steps[0] && step <= steps[1]);

/** The first `limit` trajectories in an order; those without the value that orders come last. */
class Kept {
  readonly #records: { readonly record: TrajectoryRecord; readonly rank: number }[] = [];
  readonly #rankOf: (record: TrajectoryRecord) => number;

  constructor(
    order: Selection["order"],
    private readonly limit: number,
  ) {
    this.#rankOf = RANKS[order];
  }

  offer(record: TrajectoryRecord): void {
    const rank = this.#rankOf(record);
    const list = this.#records;
    if (list.length >= this.limit && rank >= (list.at(-1)?.rank ?? Number.NEGATIVE_INFINITY)) return;
    let at = list.length;
    while (at > 0 && list[at - 1].rank > rank) at--;
    list.splice(at, 0, { record, rank });
    if (list.length > this.limit) list.pop();
  }

  records(): TrajectoryRecord[] {
    return this.#records.map(({ record }) => record);
  }
}

/** Smaller comes first. */
const RANKS: Readonly<Record<Selection["order"], (record: TrajectoryRecord) => number>> = {
  file: () => 0,
  worst: ({ score }) => score ?? Number.POSITIVE_INFINITY,
  best: ({ score }) => (score === null ? Number.POSITIVE_INFINITY : -score),
  gap: (record) => -(gapStatistics(record)?.max ?? Number.NEGATIVE_INFINITY),
  longest: ({ mask, responseText }) => -(mask.length || responseText.length),
};
