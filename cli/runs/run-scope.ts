import { sourceOfKey } from "../../core/config/index.js";
import { type CalmLogger, calmLogger } from "../../core/host/index.js";
import type { RunScope } from "../../core/trainer/index.js";
import { commandLogger } from "../program/command-logger.js";
import type { CommandIo } from "../program/io.js";
import type { PreparedRun } from "./prepare-run.js";

export type CommandScope = RunScope & { readonly logger: CalmLogger };

/** Work of a command that runs a model, but trains nothing, with what it needs of a prepared run. */
export async function inRunScope<T>(
  run: PreparedRun,
  io: CommandIo,
  signal: AbortSignal,
  work: (scope: CommandScope) => Promise<T>,
): Promise<T> {
  const services = await run.host.services({ device: run.config.trainer.device });
  const sourceOf = (key: string) => sourceOfKey(run.composed.tree, key);
  const logger = calmLogger(commandLogger(io));
  try {
    return await work({ config: run.config, services, cwd: io.cwd, logger, signal, sourceOf });
  } finally {
    logger.sum();
  }
}
