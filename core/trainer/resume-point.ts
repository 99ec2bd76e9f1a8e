import path from "node:path";
import type { RunConfig } from "../config/run-config.js";
import type { CheckpointStore, SavedCheckpoint } from "./checkpoint-store.js";
import { trainerErrors } from "./errors.js";

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

/**
 * A run that has nothing left to do is an error: ending at once would look as if it had trained. One that was killed between
 * its last save and its end still has that step to finish.
 */
export async function refuseFinished(
  checkpoints: Pick<CheckpointStore, "isLogged">,
  saved: SavedCheckpoint,
  totalSteps: number,
  { trainer }: RunConfig,
): Promise<void> {
  if (trainer.val_only || saved.step < totalSteps) return;
  if (saved.step === totalSteps && !(await checkpoints.isLogged(saved))) return;
  throw trainerErrors.VERL_TRAINER_FINISHED({
    what: `the run is finished: its checkpoint is of step ${saved.step}, and it ends with step ${totalSteps}`,
    where: saved.dir,
  });
}
