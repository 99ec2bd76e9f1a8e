import path from "node:path";
import type { RunConfig } from "../../config/run-config.js";
import { trainerErrors } from "../errors.js";
import type { CheckpointStore, SavedCheckpoint } from "./checkpoint-store.js";

interface ResumeScope {
  /** Base of a relative `trainer.resume_from_path`. */
  readonly cwd: string;
  warn(message: string): void;
}

/**
 * The checkpoint that `trainer.resume_mode` goes on from; null for a run that starts anew. Where there are checkpoints and none of
 * them is whole, a new start would take the place of the run that they are of: that must be asked for.
 */
export async function checkpointToResume(
  checkpoints: CheckpointStore,
  { resume_mode: mode, resume_from_path: from }: RunConfig["trainer"],
  { cwd, warn }: ResumeScope,
): Promise<SavedCheckpoint | null> {
  if (mode === "disable") return null;
  if (mode !== "auto") return checkpoints.at(from === null ? "" : path.resolve(cwd, from));
  const { saved, damaged } = await checkpoints.find("contents");
  if (damaged.length === 0) return saved;
  const reasons = damaged.map(({ dir, why }) => `${path.basename(dir)}: ${why}`);
  if (saved === null) {
    throw trainerErrors.VERL_TRAINER_CHECKPOINT_BAD({
      what: "the run has checkpoints, and none of them is complete",
      where: checkpoints.root,
      why: shortList(reasons, "\n"),
      fix: "set trainer.resume_mode=disable to begin anew, which writes over what the run has logged, or another trainer.experiment_name or trainer.default_local_dir to keep it",
    });
  }
  warn(`the run goes on from step ${saved.step}, not from its newest checkpoint: ${shortList(reasons, "; ")}`);
  return saved;
}

const MAX_REASONS = 5;

function shortList(texts: readonly string[], separator: string): string {
  const more = texts.length - MAX_REASONS;
  return [...texts.slice(0, MAX_REASONS), ...(more > 0 ? [`and ${more} more`] : [])].join(separator);
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
