import path from "node:path";
import type { RunConfig } from "../config/run-config.js";
import type { Tokenizer } from "../data/index.js";
import { type DumpRow, writeDump } from "../data/index.js";
import { type TrajectoryRecord, trajectoryFields, written } from "../tracking/index.js";

/** Writes the trajectories of a step; they are asked for only where somebody wants them. */
export type DumpTrajectories = (
  split: "train" | "val",
  step: number,
  records: () => readonly TrajectoryRecord[],
) => Promise<void>;

/** Writes `rollout_data_dir` and `validation_data_dir`, one file a step; nothing where they are not set. */
export function runDumps(config: RunConfig, tokenizer: Tokenizer, cwd: string): DumpTrajectories {
  const { rollout_data_dir, validation_data_dir } = config.trainer;
  return async (split, step, records) => {
    const dir = split === "train" ? rollout_data_dir : validation_data_dir;
    if (dir === null) return;
    const rows = records().map((record) => dumpRow(record, tokenizer));
    const folder = path.resolve(cwd, dir);
    await written(path.join(folder, `${step}.jsonl`), () => writeDump(folder, step, rows));
  };
}

/** verl's columns, its texts without special tokens; what else is known lies under one name of its own. */
function dumpRow(record: TrajectoryRecord, tokenizer: Tokenizer): DumpRow {
  const plain = (ids: readonly number[] = []) => tokenizer.decode(ids, { skipSpecialTokens: true });
  return {
    ...(record.split === "val" ? record.extra : {}),
    input: plain(record.promptIds),
    output: plain(record.responseIds),
    gts: record.groundTruth,
    score: record.score,
    step: record.step,
    uid: record.key,
    trajectory: trajectoryFields(record),
  };
}
