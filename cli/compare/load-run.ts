import path from "node:path";
import type { Dict } from "../../core/config/index.js";
import { type Point, RunFolder, unmask } from "../../core/tracking/index.js";

/** A run as it is compared: its curves, and what it ran with. */
export interface ComparedRun {
  /** As the user named it. */
  readonly name: string;
  /** Null for a run that has logged nothing. */
  readonly lastStep: number | null;
  readonly totalSteps: number | null;
  readonly startedAt: string | null;
  /** Every metric, in the order of steps; what is not finite included. */
  readonly series: ReadonlyMap<string, readonly Point[]>;
  /** Null for a run that kept none. */
  readonly config: Dict | null;
}

export async function loadRun(name: string, cwd: string): Promise<ComparedRun> {
  const folder = await RunFolder.open(path.resolve(cwd, name));
  const series = new Map<string, Point[]>();
  let lastStep: number | null = null;
  for (const { step, data } of await folder.metrics()) {
    lastStep = step;
    for (const [metric, value] of Object.entries(data)) {
      const point = { step, value: unmask(value) };
      const points = series.get(metric);
      if (points) points.push(point);
      else series.set(metric, [point]);
    }
  }
  const total = folder.setting("trainer.total_training_steps");
  return {
    name,
    lastStep,
    totalSteps: typeof total === "number" ? total : null,
    startedAt: folder.note?.startedAt ?? null,
    series,
    config: folder.config?.tree ?? null,
  };
}
