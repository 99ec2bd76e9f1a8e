import { configErrors } from "./errors.js";
import type { RunConfig } from "./schema/root.js";

/** The arithmetic of a run, known as soon as the training data has been read. */
export interface RunPlan {
  /** Rows of training data after filtering. */
  readonly rows: number;
  /** Whole batches per pass; what is left of a pass is not trained on. */
  readonly stepsPerEpoch: number;
  readonly totalSteps: number;
  /** Trajectories per step if no session fails. */
  readonly trajectoriesPerStep: number;
  /** Optimizer updates per step. */
  readonly updatesPerStep: number;
}

/** Throws `VERL_CONFIG_NO_STEPS` for a run that would do nothing. */
export function planRun(config: RunConfig, rows: number): RunPlan {
  const { data, trainer, actor_rollout_ref } = config;
  const { actor, rollout } = actor_rollout_ref;
  const { train_batch_size: batch } = data;
  const stepsPerEpoch = Math.floor(rows / batch);
  if (stepsPerEpoch === 0) {
    throw configErrors.VERL_CONFIG_NO_STEPS({
      what: `The training data has ${rows} rows, and a step takes data.train_batch_size = ${batch} prompts.`,
      where: data.train_files.join(", ") || undefined,
      why: `floor(${rows} / ${batch}) = 0 steps per pass.`,
      fix: `Set data.train_batch_size to ${Math.max(1, rows)} or less, or add data.`,
    });
  }
  return {
    rows,
    stepsPerEpoch,
    totalSteps: trainer.total_training_steps ?? stepsPerEpoch * trainer.total_epochs,
    trajectoriesPerStep: batch * rollout.n,
    updatesPerStep: Math.ceil(batch / actor.ppo_mini_batch_size) * actor.ppo_epochs,
  };
}
