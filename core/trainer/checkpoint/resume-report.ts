import { readdir } from "node:fs/promises";
import path from "node:path";
import type { RunConfig } from "../../config/run-config.js";
import { nextDraw } from "../../data/index.js";
import type { Dataset } from "../../data/rows/dataset.js";
import { promptUid } from "../../transfer/index.js";
import type { SavedCheckpoint } from "./checkpoint-store.js";
import { loaderStateOf, startOf } from "./trainer-state.js";

/** What a run that goes on from a checkpoint restores, and which prompt it draws first. */
export interface ResumeReport {
  readonly step: number;
  readonly dir: string;
  /** Files by the model that they belong to. */
  readonly files: Readonly<Record<string, readonly string[]>>;
  /** When the run first started, ISO 8601; null where the checkpoint does not say. */
  readonly startedAt: string | null;
  /** Null for a run without training data. */
  readonly next: {
    readonly draw: number;
    readonly uid: string;
    /** Pass over the data, from 0; null where a sampler decides it when it is asked. */
    readonly epoch: number | null;
    /** Row of the data set, likewise, and its place where the data is at hand. */
    readonly row: number | null;
    readonly origin: string | null;
  } | null;
}

export async function resumeReport(
  saved: SavedCheckpoint,
  {
    data,
    trainer,
  }: { readonly data: Pick<RunConfig["data"], "shuffle">; readonly trainer: Pick<RunConfig["trainer"], "seed"> },
  train: Dataset | null,
): Promise<ResumeReport> {
  const files: Record<string, string[]> = {};
  for (const entry of await readdir(saved.dir, { withFileTypes: true })) {
    if (entry.isDirectory()) files[entry.name] = (await readdir(path.join(saved.dir, entry.name))).sort();
  }
  const state = await loaderStateOf(saved);
  const drawn = state && nextDraw(state, data.shuffle);
  const isSame = train !== null && state !== null && train.length === state.rows;
  return {
    step: saved.step,
    dir: saved.dir,
    files,
    startedAt: (await startOf(saved))?.toISOString() ?? null,
    next: drawn && {
      draw: drawn.draw,
      uid: promptUid(trainer.seed, drawn.draw),
      epoch: drawn.epoch,
      row: drawn.index,
      origin: isSame && drawn.index !== null ? train.at(drawn.index).origin || null : null,
    },
  };
}

/** The report in lines of text. */
export function resumeLines({ step, dir, files, next }: ResumeReport): string[] {
  const restored = Object.entries(files).map(([model, names]) => `${model} (${names.join(", ")})`);
  const lines = [`step ${step} from ${dir}: ${[...restored, "order of the data", "controllers"].join(", ")}`];
  if (next) lines.push(`next: step ${step + 1}, draw ${next.draw} (${next.uid}), ${rowText(next)}`);
  return lines;
}

/** Which row is drawn first, in words. */
export function rowText({ row, epoch, origin }: NonNullable<ResumeReport["next"]>): string {
  if (row === null || epoch === null) return "whatever row the sampler chooses";
  return `${origin ?? `row ${row}`} in pass ${epoch + 1}`;
}
