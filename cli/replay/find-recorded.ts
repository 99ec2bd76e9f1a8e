import type { VerlError } from "../../core/host/basics.js";
import type { RunFolder, TrajectoryRecord } from "../../core/tracking/index.js";
import { CheckpointStore, damageOf, startOf } from "../../core/trainer/index.js";
import { cliErrors } from "../errors.js";
import { NothingFound } from "../inspect/nothing.js";
import { allTrajectories } from "../inspect/select.js";
import { checkpointRoot } from "../runs/run-checkpoints.js";

export interface Wanted {
  /** Beginning of the trajectory's key; null: the latest that can be replayed. */
  readonly key: string | null;
  readonly step: number | null;
  readonly split: "train" | "val" | null;
}

/** A recorded trajectory with the weights that sampled it. */
export interface Recorded {
  readonly record: TrajectoryRecord;
  readonly version: number;
  /** Null: what the run began with. */
  readonly checkpoint: string | null;
  /** When the run first started. */
  readonly startedAt: Date;
}

export async function findRecorded(run: RunFolder, wanted: Wanted): Promise<Recorded> {
  const store = new CheckpointStore(await checkpointRoot(run), { maxToKeep: null, runId: "" });
  const kept = new Set([0, ...(await completeSteps(store))]);
  const found = await search(run, wanted, kept);
  if (found.record === null) throw await notFound(run, wanted, found.versions, kept);
  const version = versionOf(found.record) as number;
  const checkpoint = version === 0 ? null : store.dirOf(version);
  const started = checkpoint === null ? null : await startOf({ step: version, dir: checkpoint });
  return {
    record: found.record,
    version,
    checkpoint,
    startedAt: started ?? (run.note ? new Date(run.note.startedAt) : new Date()),
  };
}

async function completeSteps(store: CheckpointStore): Promise<number[]> {
  const steps: number[] = [];
  for (const step of await store.steps()) if ((await damageOf(store.dirOf(step), "sizes")) === null) steps.push(step);
  return steps;
}

interface Search {
  readonly record: TrajectoryRecord | null;
  /** Weights of what matched and cannot be replayed, because they are gone. */
  readonly versions: ReadonlySet<number>;
}

/** The first that matches a key, else the last that can be replayed. */
async function search(run: RunFolder, { key, step, split }: Wanted, kept: ReadonlySet<number>): Promise<Search> {
  const versions = new Set<number>();
  let record: TrajectoryRecord | null = null;
  const steps = step === null ? null : ([step, step] as const);
  for await (const read of allTrajectories(await run.trajectoryFiles(), { steps, split })) {
    const matches =
      (key === null || read.key.startsWith(key)) &&
      (step === null || read.step === step) &&
      (split === null || read.split === split);
    const version = versionOf(read);
    if (!matches || version === null || !read.responseIds) continue;
    if (!kept.has(version)) versions.add(version);
    else if (key !== null) return { record: read, versions };
    else if (record === null || read.step >= record.step) record = read;
  }
  return { record, versions };
}

/** Null for what several versions sampled, or nobody knows which. */
function versionOf({ weightVersions }: TrajectoryRecord): number | null {
  return weightVersions && weightVersions[0] === weightVersions[1] && weightVersions[0] >= 0 ? weightVersions[0] : null;
}

async function notFound(
  run: RunFolder,
  wanted: Wanted,
  versions: ReadonlySet<number>,
  kept: ReadonlySet<number>,
): Promise<VerlError> {
  const { key, step } = wanted;
  const what = key === null ? "No recorded trajectory" : `No recorded trajectory whose key begins with ${key}`;
  const steps = [...kept].sort((a, b) => a - b);
  if (versions.size === 0) {
    const nothing = await whyNothing(run, wanted);
    if (nothing) return nothing;
    return cliErrors.VERL_CLI_NOTHING_TO_REPLAY({
      what: `${what}${step === null ? "" : ` at step ${step}`} can be replayed.`,
      where: run.dir,
      why: "What matches was sampled by several versions of the weights, or nobody noted by which, or its tokens were not kept.",
    });
  }
  return cliErrors.VERL_CLI_NOTHING_TO_REPLAY({
    what: `${what} can be replayed: its weights are gone.`,
    where: run.dir,
    why: `It was sampled by weights ${[...versions].join(", ")}; kept are ${steps.join(", ")}, where 0 is what the run began with.`,
    fix: `Name one that was sampled by kept weights, as of step ${Math.max(...steps) + 1}, or save more often (trainer.save_freq).`,
  });
}

/** Null where something matches. */
async function whyNothing(run: RunFolder, { key, step, split }: Wanted): Promise<VerlError | null> {
  const filters = { uid: key, step: step === null ? null : String(step), split, source: null, stop: null };
  const nothing = new NothingFound(filters, (number) => number === step);
  for await (const { key, step, split } of allTrajectories(await run.trajectoryFiles(), { steps: null, split: null })) {
    nothing.see({ uid: key, step, split, source: null, stop: null });
  }
  if (nothing.matching > 0) return null;
  const list = `\`verl inspect ${run.dir} --list\``;
  return nothing.error({ name: "trajectory", place: run.dir, list, coded: cliErrors.VERL_CLI_NOTHING_TO_REPLAY });
}
