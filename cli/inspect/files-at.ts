import { stat } from "node:fs/promises";
import { reasonOf } from "../../core/host/basics.js";
import { dumpFiles, RunFolder, type TrajectoryFile } from "../../core/tracking/index.js";
import { cliErrors } from "../errors.js";

export interface FilesAt {
  readonly files: readonly TrajectoryFile[];
  /** The run's `rollout.multi_turn.format`. */
  readonly toolFormat: string | null;
}

/** Files with trajectories at a place: the file itself, a folder of dumps, or what the folder of a run has. */
export async function filesAt(place: string): Promise<FilesAt> {
  const info = await stat(place).catch((cause: unknown) => {
    throw nothing(place, reasonOf(cause), cause);
  });
  if (!info.isDirectory()) return { files: [{ file: place, split: null, step: null }], toolFormat: null };
  const dumps = await dumpFiles(place);
  if (dumps.length > 0) return { files: dumps, toolFormat: null };
  const run = await RunFolder.open(place);
  const files = await run.trajectoryFiles();
  if (files.length === 0) {
    throw nothing(place, "the run kept no trajectory: its tracker jsonl was off, and no dump was asked for");
  }
  const format = run.setting("actor_rollout_ref.rollout.multi_turn.format");
  return { files, toolFormat: typeof format === "string" ? format : null };
}

const nothing = (place: string, why: string, cause?: unknown) =>
  cliErrors.VERL_CLI_NOTHING_TO_INSPECT({ what: "There is no trajectory to look at.", where: place, why, cause });
