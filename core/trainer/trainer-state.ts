import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { reasonOf } from "../host/errors.js";
import type { SavedCheckpoint } from "./checkpoint-store.js";
import { trainerErrors } from "./errors.js";
import type { RunParts } from "./run-parts.js";

const STATE_FILE = "trainer.json";
const LOADER_FILE = "data.json";

interface TrainerState {
  readonly version: 1;
  readonly globalStep: number;
  readonly seed: number;
  readonly klController: ReturnType<RunParts["klController"]["state"]>;
}

/** Everything beside the model that a resumed run needs to go on bit for bit. */
export async function saveRun(parts: RunParts, globalStep: number): Promise<SavedCheckpoint> {
  const { checkpoint } = parts.config.actor_rollout_ref.actor;
  return parts.checkpoints.save(globalStep, async (dir) => {
    const { mkdir } = await import("node:fs/promises");
    const actorDir = path.join(dir, "actor");
    await mkdir(actorDir);
    await parts.actor.saveCheckpoint(actorDir, { contents: checkpoint.save_contents });
    await writeFile(path.join(dir, LOADER_FILE), JSON.stringify(parts.loader.state()));
    const state: TrainerState = {
      version: 1,
      globalStep,
      seed: parts.config.trainer.seed,
      klController: parts.klController.state(),
    };
    await writeFile(path.join(dir, STATE_FILE), JSON.stringify(state));
  });
}

/** Restore what {@link saveRun} wrote; returns the step to go on from. */
export async function loadRun(parts: RunParts, saved: SavedCheckpoint): Promise<number> {
  const state = await readJson<TrainerState>(path.join(saved.dir, STATE_FILE));
  if (state.seed !== parts.config.trainer.seed) {
    throw trainerErrors.VERL_TRAINER_RESUME_MISMATCH({
      what: `the checkpoint was written with trainer.seed=${state.seed}, this run has ${parts.config.trainer.seed}`,
      where: saved.dir,
      why: "uids and draws come from the seed; the resumed run would repeat some and skip others",
    });
  }
  const { checkpoint } = parts.config.actor_rollout_ref.actor;
  await parts.actor.loadCheckpoint(path.join(saved.dir, "actor"), { contents: checkpoint.load_contents });
  parts.loader.restore(await readJson(path.join(saved.dir, LOADER_FILE)));
  parts.klController.restore(state.klController);
  return state.globalStep;
}

async function readJson<T>(file: string): Promise<T> {
  try {
    return JSON.parse(await readFile(file, "utf8")) as T;
  } catch (error) {
    throw trainerErrors.VERL_TRAINER_CHECKPOINT_BAD({
      what: `${path.basename(file)} of a checkpoint cannot be read`,
      where: file,
      why: reasonOf(error),
      cause: error,
    });
  }
}
