import path from "node:path";
import { textWithMedia } from "../agent/index.js";
import type { RunConfig } from "../config/run-config.js";
import type { MediaReader, Tokenizer } from "../data/index.js";
import { type DumpRow, writeDump } from "../data/index.js";
import { type TrajectoryRecord, trajectoryFields, written } from "../tracking/index.js";
import { writeMedia } from "./media-files.js";

/** Writes the trajectories of a step; they are asked for only where somebody wants them. */
export type DumpTrajectories = (
  split: "train" | "val",
  step: number,
  records: () => readonly TrajectoryRecord[],
) => Promise<void>;

/** Writes `rollout_data_dir` and `validation_data_dir`, one file a step; nothing where they are not set. */
export function runDumps(
  config: RunConfig,
  { tokenizer, media }: { readonly tokenizer: Tokenizer; readonly media: MediaReader },
  cwd: string,
): DumpTrajectories {
  const { rollout_data_dir, validation_data_dir } = config.trainer;
  return async (split, step, records) => {
    const dir = split === "train" ? rollout_data_dir : validation_data_dir;
    if (dir === null) return;
    const all = records();
    const rows = all.map((record) => dumpRow(record, tokenizer));
    const folder = path.resolve(cwd, dir);
    await writeMedia(folder, all, media);
    await written(path.join(folder, `${step}.jsonl`), () => writeDump(folder, step, rows));
  };
}

/** verl's columns, its texts without special tokens; what else is known lies under one name of its own. */
function dumpRow(record: TrajectoryRecord, tokenizer: Tokenizer): DumpRow {
  const { promptIds = [], responseIds = [], media } = record;
  const plain = (ids: readonly number[], from: number) =>
    textWithMedia(tokenizer, ids, media, { from, skipSpecialTokens: true });
  return {
    ...(record.split === "val" ? record.extra : {}),
    input: plain(promptIds, 0),
    output: plain(responseIds, promptIds.length),
    gts: record.groundTruth,
    score: record.score,
    step: record.step,
    uid: record.key,
    trajectory: trajectoryFields(record),
  };
}
