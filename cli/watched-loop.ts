import path from "node:path";
import type { RunConfig } from "../core/config/index.js";
import type { WatchedLoop } from "../core/host/index.js";
import { TRACKER_FILE } from "../core/trainer/index.js";
import { goingOn } from "./going-on.js";
import type { CommandIo } from "./io.js";

/** How a command watches for code that holds the process's only thread: `trainer.block_deadline_s`. */
export function watchedLoop({ trainer }: RunConfig, { json }: { readonly json: boolean }): WatchedLoop {
  return { deadlineMs: trainer.block_deadline_s * 1000, json };
}

/** The same for a run that keeps checkpoints. */
export function watchedRun(config: RunConfig, io: CommandIo, request: { readonly json: boolean }): WatchedLoop {
  const { default_local_dir: dir } = config.trainer;
  const kept = { stepFile: path.resolve(io.cwd, dir, TRACKER_FILE), goOn: goingOn(config) };
  return { ...watchedLoop(config, request), kept };
}
