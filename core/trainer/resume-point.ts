import path from "node:path";
import type { RunConfig } from "../config/run-config.js";
import type { CheckpointStore, SavedCheckpoint } from "./checkpoint-store.js";

/** The checkpoint that `trainer.resume_mode` goes on from; null for a run that starts anew. */
export async function checkpointToResume(
  checkpoints: CheckpointStore,
  { resume_mode: mode, resume_from_path: from }: RunConfig["trainer"],
  cwd: string,
): Promise<SavedCheckpoint | null> {
  if (mode === "disable") return null;
  if (mode === "auto") return checkpoints.latest();
  return checkpoints.at(from === null ? "" : path.resolve(cwd, from));
}
