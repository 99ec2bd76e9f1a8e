import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import type { PromptLoaderState } from "../../data/index.js";
import { reasonOf } from "../../host/errors.js";
import type { JsonValue } from "../../host/types.js";
import { parseOutsideJson } from "../../host/util/outside-json.js";
import { maskNonFinite, replaceFile, unmask, written } from "../../tracking/index.js";
import { trainerErrors } from "../errors.js";
import type { RunParts } from "../run-parts.js";
import type { SavedCheckpoint } from "./checkpoint-store.js";

const STATE_FILE = "trainer.json";
const LOADER_FILE = "data.json";
/** Metrics that hooks added after the checkpoint was complete. */
const LATE_METRICS_FILE = "late_metrics.json";
export const ACTOR_FOLDER = "actor";
export const CRITIC_FOLDER = "critic";

const metricsSchema = z.record(z.string(), z.union([z.number(), z.string()]));
const stateSchema = z.object({
  version: z.number(),
  globalStep: z.number(),
  seed: z.number(),
  /** When the run first started; absent from checkpoints of earlier versions. */
  startedAt: z.string().optional(),
  /** Fingerprint of the training data; null for a run without. */
  data: z.string().nullable(),
  klController: z.object({ value: z.number() }),
  metrics: metricsSchema,
});
type TrainerState = z.infer<typeof stateSchema>;

const loaderSchema = z.looseObject({
  version: z.literal(1),
  draw: z.number(),
  rows: z.number(),
  batchSize: z.number(),
  samplerName: z.string().optional(),
  // What it holds is the sampler's own business; it was parsed from JSON.
  sampler: z.custom<JsonValue>((state) => state !== undefined),
});

/** Where a resumed run goes on. */
export interface ResumedRun extends SavedCheckpoint {
  /** Metrics of that step as far as they were known when it was saved, and what hooks added after that. */
  readonly metrics: Readonly<Record<string, number>>;
  /** Whether the step was logged: if not, the run was killed between saving it and its end. */
  readonly logged: boolean;
}

/**
 * Everything that a resumed run needs to go on bit for bit. `metrics` are those of the step, which is logged later: a run
 * that is killed in between must not lose them.
 */
export async function saveRun(
  parts: RunParts,
  globalStep: number,
  metrics: Readonly<Record<string, number>>,
): Promise<SavedCheckpoint> {
  const { checkpoint } = parts.config.actor_rollout_ref.actor;
  return parts.checkpoints.save(globalStep, async (dir) => {
    const actorDir = path.join(dir, ACTOR_FOLDER);
    await mkdir(actorDir);
    await parts.actor.saveCheckpoint(actorDir, { contents: checkpoint.save_contents });
    await parts.exportTokenizer(actorDir);
    if (parts.critic) {
      const criticDir = path.join(dir, CRITIC_FOLDER);
      await mkdir(criticDir);
      await parts.critic.saveCheckpoint(criticDir, { contents: parts.config.critic.checkpoint.save_contents });
      await parts.exportTokenizer(criticDir);
    }
    if (parts.loader) await writeFile(path.join(dir, LOADER_FILE), JSON.stringify(parts.loader.state()));
    const state: TrainerState = {
      version: 1,
      globalStep,
      seed: parts.config.trainer.seed,
      startedAt: parts.startedAt.toISOString(),
      data: parts.dataFingerprint,
      klController: parts.klController.state(),
      metrics: maskNonFinite(metrics),
    };
    await writeFile(path.join(dir, STATE_FILE), JSON.stringify(state));
  });
}

/** Keeps what hooks add to the metrics of a step that is saved already, so that a kill before the log does not lose it. */
export async function saveLateMetrics(
  saved: SavedCheckpoint,
  metrics: Readonly<Record<string, number>>,
): Promise<void> {
  const file = path.join(saved.dir, LATE_METRICS_FILE);
  const text = JSON.stringify(maskNonFinite(metrics));
  await written(file, () => replaceFile(file, text));
}

async function lateMetrics({ dir }: SavedCheckpoint): Promise<TrainerState["metrics"]> {
  const file = path.join(dir, LATE_METRICS_FILE);
  return existsSync(file) ? readState(file, metricsSchema) : {};
}

/** When the run that wrote a checkpoint first started; null if the checkpoint does not say. */
export async function startOf(saved: SavedCheckpoint): Promise<Date | null> {
  const { startedAt } = await readState(path.join(saved.dir, STATE_FILE), stateSchema);
  const date = new Date(startedAt ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? null : date;
}

/** Where the data stood when a checkpoint was written; null for a run without training data. */
export async function loaderStateOf({ dir }: SavedCheckpoint): Promise<PromptLoaderState | null> {
  const file = path.join(dir, LOADER_FILE);
  return existsSync(file) ? readState(file, loaderSchema) : null;
}

/** The trainer's own part of a checkpoint. */
export async function stateOf(saved: SavedCheckpoint): Promise<TrainerState> {
  const state = await readState(path.join(saved.dir, STATE_FILE), stateSchema);
  if (state.version === 1 && state.globalStep === saved.step) return state;
  throw trainerErrors.VERL_TRAINER_CHECKPOINT_BAD({
    what: `${STATE_FILE} holds step ${state.globalStep} in format ${state.version}, expected step ${saved.step} in format 1`,
    where: saved.dir,
  });
}

/** Restore what {@link saveRun} wrote; that it belongs to this run has been checked (`checkResume`). */
export async function loadRun(parts: RunParts, saved: SavedCheckpoint): Promise<ResumedRun> {
  const state = await stateOf(saved);
  const { checkpoint } = parts.config.actor_rollout_ref.actor;
  await parts.actor.loadCheckpoint(path.join(saved.dir, ACTOR_FOLDER), { contents: checkpoint.load_contents });
  if (parts.critic) {
    const { load_contents: contents } = parts.config.critic.checkpoint;
    await parts.critic.loadCheckpoint(path.join(saved.dir, CRITIC_FOLDER), { contents });
  }
  if (parts.loader) parts.loader.restore(await readState(path.join(saved.dir, LOADER_FILE), loaderSchema));
  parts.klController.restore(state.klController);
  const known = { ...state.metrics, ...(await lateMetrics(saved)) };
  const metrics = Object.entries(known).map(([name, value]) => [name, unmask(value)] as const);
  return { ...saved, metrics: Object.fromEntries(metrics), logged: await parts.checkpoints.isLogged(saved) };
}

async function readState<T extends z.ZodType>(file: string, schema: T): Promise<z.infer<T>> {
  try {
    return schema.parse(parseOutsideJson(await readFile(file, "utf8")));
  } catch (error) {
    throw trainerErrors.VERL_TRAINER_CHECKPOINT_BAD({
      what: `${path.basename(file)} of a checkpoint cannot be read`,
      where: file,
      why: error instanceof z.ZodError ? z.prettifyError(error) : reasonOf(error),
      cause: error,
    });
  }
}
