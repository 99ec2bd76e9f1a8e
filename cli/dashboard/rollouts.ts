import { open } from "node:fs/promises";
import {
  gapStatistics,
  parseTrajectories,
  type TrajectoryFile,
  type TrajectoryRecord,
} from "../../core/tracking/index.js";
import { LineTail, MAX_BAD_LINES } from "./line-tail.js";

/** Trajectories of which something is remembered; of more, the first ones are forgotten. */
const ENTRIES = 100_000;

/** What is remembered of a trajectory: enough to find it. */
export interface RolloutEntry {
  /** Counts the trajectories of a run from 0. */
  readonly id: number;
  readonly step: number;
  readonly split: "train" | "val";
  readonly source: string;
  readonly score: number | null;
  readonly stop: string;
  readonly length: number;
  /** Largest absolute gap, nats. */
  readonly gap: number | null;
  readonly place: {
    readonly file: FollowedFile;
    readonly offset: number;
    readonly bytes: number;
    readonly index: number;
  };
}

interface FollowedFile extends TrajectoryFile {
  readonly tail: LineTail;
}

export const ROLLOUT_ORDERS = ["file", "newest", "worst", "best", "gap", "longest"] as const;

export interface RolloutQuery {
  readonly step: number | null;
  readonly split: "train" | "val" | null;
  readonly stop: string | null;
  readonly source: string | null;
  /** Bounds of the score, both included. */
  readonly min: number | null;
  readonly max: number | null;
  readonly order: (typeof ROLLOUT_ORDERS)[number];
  readonly offset: number;
  readonly limit: number;
}

/** Where a run's trajectories stand, followed as its files grow. The texts stay on the disk. */
export class Rollouts {
  #entries: RolloutEntry[] = [];
  readonly #files = new Map<string, FollowedFile>();
  #next = 0;
  badLines = 0;
  #reading: Promise<void> | null = null;

  refresh(files: readonly TrajectoryFile[]): Promise<void> {
    this.#reading ??= this.#refresh(files).finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  get entries(): readonly RolloutEntry[] {
    return this.#entries;
  }

  entry(id: number): RolloutEntry | null {
    return this.#entries.find((entry) => entry.id === id) ?? null;
  }

  async #refresh(files: readonly TrajectoryFile[]): Promise<void> {
    for (const [name, followed] of this.#files) {
      const kept = files.some(({ file, split }) => file === name && split === followed.split);
      if (!kept) this.#forget(followed);
    }
    for (const file of files) {
      const followed = this.#files.get(file.file) ?? { ...file, tail: new LineTail(file.file) };
      this.#files.set(file.file, followed);
      await followed.tail.read(
        ({ text, offset, length }) => this.#take(followed, text, offset, length),
        () => this.#drop(followed),
      );
    }
  }

  #take(file: FollowedFile, text: string | null, offset: number, bytes: number): void {
    if (this.badLines === MAX_BAD_LINES || text?.trim() === "") return;
    try {
      if (text === null) throw new RangeError("too long");
      parseTrajectories(text, "").forEach((read, index) => {
        const record = ofFile(read, file);
        if (!record) return;
        this.#entries.push({
          id: this.#next++,
          step: record.step,
          split: record.split,
          source: record.dataSource,
          score: record.score,
          stop: record.stopReason ?? "unknown",
          length: record.mask.length || record.responseText.length,
          gap: gapStatistics(record)?.max ?? null,
          place: { file, offset, bytes, index },
        });
      });
    } catch {
      this.badLines++;
    }
    if (this.#entries.length > ENTRIES * 1.1) this.#entries = this.#entries.slice(-ENTRIES);
  }

  #drop(file: FollowedFile): void {
    this.#entries = this.#entries.filter(({ place }) => place.file !== file);
  }

  #forget(file: FollowedFile): void {
    this.#drop(file);
    this.#files.delete(file.file);
  }
}

/** Entries that match, in the order asked for; those without the value that orders come last. */
export function queryRollouts(entries: readonly RolloutEntry[], query: RolloutQuery): RolloutEntry[] {
  const { step, split, stop, source, min, max, order } = query;
  const matching = entries.filter(
    (entry) =>
      (step === null || entry.step === step) &&
      (split === null || entry.split === split) &&
      (stop === null || entry.stop === stop) &&
      (source === null || entry.source === source) &&
      (min === null || (entry.score !== null && entry.score >= min)) &&
      (max === null || (entry.score !== null && entry.score <= max)),
  );
  if (order === "file") return matching;
  if (order === "newest") return matching.reverse().sort((a, b) => b.step - a.step);
  const rank = RANKS[order];
  return matching.sort((a, b) => rank(a) - rank(b) || a.id - b.id);
}

const RANKS = {
  worst: ({ score }: RolloutEntry) => score ?? Number.MAX_VALUE,
  best: ({ score }: RolloutEntry) => (score === null ? Number.MAX_VALUE : -score),
  gap: ({ gap }: RolloutEntry) => (gap === null || Number.isNaN(gap) ? Number.MAX_VALUE : -gap),
  longest: ({ length }: RolloutEntry) => -length,
} as const;

/** The trajectories themselves, each line read once; null for one whose file was replaced since. */
export async function readRollouts(entries: readonly RolloutEntry[]): Promise<(TrajectoryRecord | null)[]> {
  const lines = new Map<string, readonly TrajectoryRecord[]>();
  const found: (TrajectoryRecord | null)[] = [];
  for (const { place, step } of entries) {
    const key = `${place.offset} ${place.file.file}`;
    const records = lines.get(key) ?? (await readLine(place));
    lines.set(key, records);
    const record = records[place.index];
    found.push(record?.step === step ? ofFile(record, place.file) : null);
  }
  return found;
}

async function readLine({ file, offset, bytes }: RolloutEntry["place"]): Promise<readonly TrajectoryRecord[]> {
  try {
    await using handle = await open(file.file, "r");
    const buffer = Buffer.alloc(bytes);
    const { bytesRead } = await handle.read(buffer, 0, bytes, offset);
    return parseTrajectories(buffer.toString("utf8", 0, bytesRead), "");
  } catch {
    return [];
  }
}

/** A dump of the reference does not say which split it is; where `samples.jsonl` stands in for one, the rest is elsewhere. */
function ofFile(record: TrajectoryRecord, { split, step }: TrajectoryFile): TrajectoryRecord | null {
  if (split === null || record.split === split) return record;
  return step === null ? null : { ...record, split };
}
