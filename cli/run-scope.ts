import { sourceOfKey } from "../core/config/index.js";
import type { RunScope } from "../core/trainer/index.js";
import { commandLogger } from "./command-logger.js";
import type { CommandIo } from "./io.js";
import type { PreparedRun } from "./prepare-run.js";

/** What a command that runs a model, but trains nothing, needs of a prepared run. */
export async function runScope(run: PreparedRun, io: CommandIo, signal: AbortSignal): Promise<RunScope> {
  const services = await run.host.services({ device: run.config.trainer.device });
  const sourceOf = (key: string) => sourceOfKey(run.composed.tree, key);
  return { config: run.config, services, cwd: io.cwd, logger: commandLogger(io), signal, sourceOf };
}
