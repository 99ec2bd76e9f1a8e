import { trajectoryRecord } from "../agent/index.js";
import type { DataItem } from "../data/rows/dataset.js";
import type { TrajectoryRecord } from "../tracking/index.js";
import { promptUid, uidOfKey } from "../transfer/index.js";
import { trainerErrors } from "./errors.js";
import type { RunScope } from "./run-scope.js";
import { promptTask } from "./sampling/prompt-feed.js";
import { openLoader } from "./setup/loader-setup.js";
import { createSamplingRig, type RigWeights, type SamplingRig, sampleTask } from "./setup/sampling-rig.js";
import { inferBatch } from "./step/infer.js";
import { withMediaInputs } from "./step/media-inputs.js";
import { makeTrainBatch } from "./step/train-batch.js";
import type { TrainingRow } from "./step/training-row.js";

/** A trajectory of a run, by what names its draws. */
export type ReplayTarget = Pick<TrajectoryRecord, "key" | "step" | "split">;

/**
 * Samples a trajectory of a run again: the same prompt, seed, draw and weights, through the same tokenizer, agent loop, server
 * and reward, and the trainer's log-probabilities of the result. Null if its session now ends without that output.
 */
export async function replayTrajectory(
  scope: RunScope,
  target: ReplayTarget,
  weights: RigWeights,
): Promise<TrajectoryRecord | null> {
  const cleanups: (() => Promise<void>)[] = [];
  try {
    const rig = await createSamplingRig(scope, "replay", weights, cleanups);
    const { uid, draw } = drawOf(target, scope);
    const task = promptTask(uid, draw, await itemOf(draw, target.split, rig, scope));
    const rows = await sampleTask(rig, task, scope, { partition: target.split, globalStep: target.step });
    const row = rows.find(({ key }) => key === target.key);
    if (!row) return null;
    // A validation samples under settings of its own, and nothing is trained on it.
    const trainerLogProbs = target.split === "val" ? null : await trainerView(row, rig, scope);
    return trajectoryRecord(row, target, rig.tokenizer, { trainerLogProbs });
  } finally {
    for (const cleanup of cleanups.reverse()) await cleanup();
  }
}

/** The prompt's number, from its uid, which only a run of the same seed has given out. */
function drawOf({ key, split }: ReplayTarget, { config }: RunScope): { uid: string; draw: number } {
  const uid = uidOfKey(key);
  const draw = Number.parseInt(uid, 10);
  const { seed } = config.trainer;
  if (Number.isSafeInteger(draw) && promptUid(seed, draw, split) === uid) return { uid, draw };
  throw trainerErrors.VERL_TRAINER_REPLAY({
    what: `the uid ${uid} is of no ${split === "val" ? "validation" : "training"} prompt of a run with trainer.seed=${seed}`,
    why: "uids come from (seed, draw)",
    fix: "give the configuration of the run that recorded it; greedy baselines cannot be replayed",
  });
}

/** The row that was drawn; a validation draws its rows in their order. */
async function itemOf(
  draw: number,
  split: "train" | "val",
  { train, validation }: SamplingRig,
  scope: RunScope,
): Promise<DataItem> {
  const { data } = scope.config;
  if (split === "val" && validation && draw < validation.length) return validation.at(draw);
  if (split === "val" || !train) {
    throw trainerErrors.VERL_TRAINER_REPLAY({
      what: `the configuration has no ${split === "val" ? "validation" : "training"} row ${draw}`,
    });
  }
  if (data.seed === null && data.shuffle) {
    throw trainerErrors.VERL_TRAINER_REPLAY({
      what: "the order of the data was random: data.seed is null",
      fix: "set data.seed in runs that are to be replayed",
    });
  }
  const loader = await openLoader(scope, train);
  if (!loader.isFixed) {
    throw trainerErrors.VERL_TRAINER_REPLAY({
      what: "which row was drawn depends on the scores of all prompts before it",
      why: "the sampler of the training rows (data.sampler) goes by results",
      fix: "replay a trajectory of the validation, or of a run without such a sampler",
    });
  }
  for (;;) {
    const drawn = loader.next();
    if (drawn.draw === draw) return drawn.item;
  }
}

/** Log-probabilities of the trainer's forward pass; null where there is nothing to compare with. */
async function trainerView(
  row: TrainingRow,
  { actor, media }: SamplingRig,
  { config, signal }: RunScope,
): Promise<number[] | null> {
  const { rollout } = config.actor_rollout_ref;
  const temperature = rollout.temperature > 0 && rollout.do_sample ? rollout.temperature : 1;
  if (row.rolloutLogProbs === null) return null;
  // A row without a score would be masked.
  const batch = makeTrainBatch([{ ...row, score: 0 }], temperature);
  batch.sequences = await withMediaInputs(batch.sequences, [row.multiModalData ?? []], media, signal);
  return Array.from((await inferBatch(actor, batch, ["logProb"], rollout, signal)).logProb);
}
