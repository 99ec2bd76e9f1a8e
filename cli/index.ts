/** Entry of the package: the plugin host with the built-ins, the configuration, and training from code. */
import { createHost as createBareHost, type Host, type HostOptions } from "../core/index.js";
import { AGENT_MAIN, BUILTINS, RANK_MAIN, REWARD_MAIN } from "./builtins.js";
import type { TrainOutcome } from "./runs/train-run.js";

export { builtinAdvantageEstimators, builtinPolicyLosses, sftLoss } from "../core/algorithms/index.js";
export {
  composeConfig,
  explainKey,
  makeConfig,
  parseHubReference,
  type RunConfig,
  validateConfig,
} from "../core/config/index.js";
export { charTokenizerFiles, hashText, loadTokenizer, RandomStream } from "../core/data/index.js";
export { hubSnapshot, openModel, parseModelConfig, writeHfFolder } from "../core/formats/index.js";
export type { Host, HostOptions } from "../core/index.js";
export * from "../core/plugin.js";
export type { TrainOutcome } from "./runs/train-run.js";

/** A plugin host with everything that is built in, and the plugins that environment and options name. */
export function createHost(
  options: Omit<HostOptions, "builtins" | "agentMain" | "rankMain" | "rewardMain"> = {},
): Promise<Host> {
  return createBareHost({
    ...options,
    builtins: BUILTINS,
    agentMain: AGENT_MAIN,
    rankMain: RANK_MAIN,
    rewardMain: REWARD_MAIN,
  });
}

export interface TrainRequestOptions {
  /** YAML files, later ones over earlier ones. */
  readonly files?: readonly string[];
  /** `a.b=c`, `+a.b=c`, `++a.b=c`, `~a.b`. */
  readonly overrides?: readonly string[];
  /** Base of relative paths; default the working directory. */
  readonly cwd?: string;
  /** Trackers print JSON lines instead of text. */
  readonly json?: boolean;
  readonly signal?: AbortSignal;
  /** Where trackers print; default standard output. */
  readonly output?: NodeJS.WritableStream;
}

/** What `verl train` does, from code. Resolves when the run ended in order; rejects with a coded error. */
export async function train(options: TrainRequestOptions = {}): Promise<TrainOutcome> {
  const [{ prepareRun }, { trainPrepared }, { processIo }, { commandLogger }] = await Promise.all([
    import("./runs/prepare-run.js"),
    import("./runs/train-run.js"),
    import("./program/io.js"),
    import("./program/command-logger.js"),
  ]);
  const own = processIo();
  const io = { ...own, cwd: options.cwd ?? own.cwd, stdout: options.output ?? own.stdout };
  const json = options.json ?? false;
  const request = { files: options.files ?? [], overrides: options.overrides ?? [], json };
  const run = await prepareRun(request, io, { forTraining: true });
  try {
    return await trainPrepared(run, io, { json, logger: commandLogger(io), signal: options.signal });
  } finally {
    await run.host.dispose();
  }
}
