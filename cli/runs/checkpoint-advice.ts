import { existsSync } from "node:fs";
import path from "node:path";
import type { RunConfig } from "../../core/config/index.js";
import { isVerlError, VerlError } from "../../core/host/basics.js";
import { CheckpointStore } from "../../core/trainer/index.js";

const KEY = "actor_rollout_ref.model.path";
const EXPORTED = path.join("actor", "huggingface");
const EXPORT = "actor_rollout_ref.actor.checkpoint.save_contents=[model,optimizer,extra,hf_model]";

/**
 * The error of a command that found no model, with what the run has saved: the folder that can be used, and the override for it. Nothing is
 * used of itself, for which model is looked at must be plain.
 */
export async function withCheckpointAdvice(
  error: unknown,
  { trainer, actor_rollout_ref }: Pick<RunConfig, "trainer" | "actor_rollout_ref">,
  { cwd, command }: { readonly cwd: string; readonly command: "eval" | "generate" },
): Promise<unknown> {
  if (!isVerlError(error) || !/^VERL_(TRAINER_NO_MODEL|FORMATS_NOT_A_MODEL)$/.test(error.code)) return error;
  if (error.code === "VERL_FORMATS_NOT_A_MODEL" && !error.where?.includes(KEY)) return error;
  const checkpoint = await checkpointOf(actor_rollout_ref.model.path, trainer.default_local_dir, cwd);
  if (checkpoint === null) return error;
  const named = (file: string) => path.relative(cwd, file) || ".";
  const model = path.join(checkpoint, EXPORTED);
  const { code, what, where, cause, data, also } = error;
  if (existsSync(model)) {
    const why = `the run has saved one: ${named(model)}`;
    return new VerlError(code, { what, where, why, cause, data, also, fix: `${KEY}=${named(model)}` });
  }
  const why = `the run's checkpoint ${named(checkpoint)} holds what training goes on from, and no model folder`;
  const instead =
    command === "eval"
      ? "`verl train` with trainer.val_only=true trainer.resume_mode=auto validates it as it is; "
      : "";
  const fix = `${instead}a run with ${EXPORT} writes ${EXPORTED} into its checkpoints, which ${KEY} takes`;
  return new VerlError(code, { what, where, why, cause, data, also, fix });
}

/** The checkpoint that a path leads into, else the newest of the run that it leads to, else the newest of this run. */
async function checkpointOf(model: string | null, root: string, cwd: string): Promise<string | null> {
  const inside = model === null ? null : /^(.*[\\/])?global_step_\d+(?=[\\/]|$)/.exec(path.resolve(cwd, model));
  if (inside && existsSync(inside[0])) return inside[0];
  // The folder of a run, as it is called now, before the one of the configuration.
  for (const folder of model === null ? [root] : [model, root]) {
    const store = new CheckpointStore(path.resolve(cwd, folder), { maxToKeep: null, runId: "" });
    const saved = await store.latest().catch(() => null);
    if (saved) return saved.dir;
  }
  return null;
}
