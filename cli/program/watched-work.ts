import path from "node:path";
import type { RunConfig } from "../../core/config/index.js";
import type { WatchedLoop } from "../../core/host/index.js";
import type { Host } from "../../core/index.js";
import { TRACKER_FILE } from "../../core/trainer/index.js";
import { goingOn } from "../runs/going-on.js";
import type { PreparedRun } from "../runs/prepare-run.js";
import type { CommandIo } from "./io.js";

/** What is watched while a command runs code of the user's. */
export interface Watched {
  /** For code that holds the process's only thread: `trainer.block_deadline_s`. */
  readonly loop: WatchedLoop;
  /** For errors that nobody catches; null where the work does that itself. */
  readonly errors: Host["watchErrors"] | null;
}

export function watchedWork(
  { config, host }: Pick<PreparedRun, "config" | "host">,
  request: { readonly json: boolean },
): Watched {
  return { loop: loopOf(config, request), errors: host.watchErrors };
}

/** The same for a run that keeps checkpoints. */
export function watchedRun(config: RunConfig, io: CommandIo, request: { readonly json: boolean }): Watched {
  const { default_local_dir: dir } = config.trainer;
  const kept = { stepFile: path.resolve(io.cwd, dir, TRACKER_FILE), goOn: goingOn(config) };
  return { loop: { ...loopOf(config, request), kept }, errors: null };
}

const loopOf = ({ trainer }: RunConfig, { json }: { readonly json: boolean }): WatchedLoop => ({
  deadlineMs: trainer.block_deadline_s * 1000,
  json,
});
