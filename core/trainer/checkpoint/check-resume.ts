import { existsSync } from "node:fs";
import path from "node:path";
import { type Dataset, requireSameRows } from "../../data/index.js";
import { readHostState } from "../../engine/host-state.js";
import type { CheckpointPart, EngineFactory } from "../../engine/index.js";
import { trainerErrors } from "../errors.js";
import type { RunScope } from "../run-scope.js";
import { samplerName } from "../setup/loader-setup.js";
import { type EnginePlan, planEngines } from "../setup/run-engines.js";
import type { SavedCheckpoint } from "./checkpoint-store.js";
import { dataFingerprint } from "./data-fingerprint.js";
import { ACTOR_FOLDER, CRITIC_FOLDER, loaderStateOf, stateOf } from "./trainer-state.js";

export interface ResumeCheck {
  readonly train: Dataset | null;
  readonly totalSteps: number;
  warn(message: string): void;
}

type Scope = Pick<RunScope, "config" | "cwd" | "services">;

/**
 * Whether a run could go on from a checkpoint, before anything is started: the same for a run and for `--dry-run`. What only the weights
 * tell shows when they are loaded.
 */
export async function checkResume(saved: SavedCheckpoint, scope: Scope, check: ResumeCheck): Promise<void> {
  const { config } = scope;
  const { train, totalSteps, warn } = check;
  const state = await stateOf(saved);
  if (state.seed !== config.trainer.seed) throw otherSeed(state.seed, config.trainer.seed, saved);
  const { actor, critic } = planEngines(scope, totalSteps);
  const { load_contents: ofActor } = config.actor_rollout_ref.actor.checkpoint;
  await checkEngine(actor, path.join(saved.dir, ACTOR_FOLDER), ofActor, scope);
  if (critic) {
    const folder = path.join(saved.dir, CRITIC_FOLDER);
    if (!existsSync(folder)) throw noCritic(saved);
    await checkEngine(critic, folder, config.critic.checkpoint.load_contents, scope);
  }
  if (!train) return;
  const loader = await loaderStateOf(saved);
  if (loader)
    requireSameRows(loader, { rows: train.length, name: samplerName(config.data), files: train.report.files });
  if (state.data === dataFingerprint(train)) return;
  warn(
    `the training data is not what it was when ${saved.dir} was written: this run will differ from one that was never interrupted`,
  );
}

const otherSeed = (written: number, seed: number, { dir }: SavedCheckpoint) =>
  trainerErrors.VERL_TRAINER_RESUME_MISMATCH({
    what: `the checkpoint was written with trainer.seed=${written}, this run has ${seed}`,
    where: dir,
    why: "uids and draws come from the seed; the resumed run would repeat some and skip others",
    fix: `set trainer.seed=${written}, or begin anew with trainer.resume_mode=disable`,
  });

const noCritic = ({ dir }: SavedCheckpoint) =>
  trainerErrors.VERL_TRAINER_RESUME_MISMATCH({
    what: "the checkpoint has no critic, and this run trains one",
    where: dir,
  });

async function checkEngine(
  { modelType, backend, options }: EnginePlan,
  dir: string,
  contents: readonly CheckpointPart[],
  { services }: Scope,
): Promise<void> {
  const factory: EngineFactory = await services.requireEngine(modelType, backend);
  // The host's own part is the same whichever engine it is.
  if (contents.includes("extra")) await readHostState(dir);
  const own = contents.filter((part) => part !== "extra");
  await factory.checkCheckpoint?.({ ...options, modelType }, dir, own);
}
