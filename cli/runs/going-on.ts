import { stat } from "node:fs/promises";
import path from "node:path";
import type { RunConfig } from "../../core/config/index.js";
import { CheckpointStore } from "../../core/trainer/index.js";
import { type CommandIo, printLine } from "../program/io.js";

/**
 * How a run that ended early is gone on with: from its newest checkpoint, if it has one.
 * @param since  when it began: what lay in its folder before is its own only where it went on from that
 */
export async function printGoingOn(config: RunConfig, io: CommandIo, json: boolean, since: number): Promise<void> {
  if (json) return;
  const store = new CheckpointStore(path.resolve(io.cwd, config.trainer.default_local_dir), {
    maxToKeep: null,
    runId: "",
  });
  // A damaged folder is reported by whoever goes on from it.
  const saved = await store.latest().catch(() => null);
  if (!saved) return;
  const { mtimeMs } = await stat(saved.dir);
  if (config.trainer.resume_mode !== "auto" && mtimeMs < since) return;
  printLine(io.stderr, `The newest checkpoint is that of step ${saved.step}: ${goingOn(config)}.`);
}

export function goingOn({ trainer }: RunConfig): string {
  return trainer.resume_mode === "auto"
    ? "the same command goes on from there"
    : "trainer.resume_mode=auto goes on from there";
}
