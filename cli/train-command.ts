import { maskSecrets, type RunConfig, toPlain } from "../core/config/index.js";
import { commandLogger } from "./command-logger.js";
import { printFailedPlugins } from "./failed-plugins.js";
import { withInterrupts } from "./interrupts.js";
import { type CommandIo, printJson, printLine } from "./io.js";
import { type ConfigRequest, type PreparedRun, prepareRun } from "./prepare-run.js";
import { EXIT } from "./report-error.js";
import { trainPrepared } from "./train-run.js";

export interface TrainRequest extends ConfigRequest {
  /** Check everything, print what would run, start nothing. */
  readonly dryRun: boolean;
}

/** `verl train`. Returns the exit code. */
export async function runTrain(request: TrainRequest, io: CommandIo): Promise<number> {
  const run = await prepareRun(request, io, { forTraining: true });
  try {
    if (request.dryRun) return printDryRun(run, request, io);
    const outcome = await withInterrupts(io, (interrupts) =>
      trainPrepared(run, io, { json: request.json, logger: commandLogger(io), ...interrupts }),
    );
    if (request.json) printJson(io, { event: "end", ...outcome });
    return outcome.reason === "completed" ? EXIT.ok : EXIT.interrupted;
  } finally {
    printFailedPlugins(run.host.report, io);
    await run.host.dispose();
  }
}

function printDryRun({ composed, config, notices }: PreparedRun, { json }: TrainRequest, io: CommandIo): number {
  const plan = stepArithmetic(config);
  if (json) printJson(io, { config: maskSecrets(toPlain(composed.tree), io.env), plan, notices });
  else {
    printLine(
      io.stdout,
      `A step: ${plan.prompts} prompts x ${plan.samples} samples = ${plan.trajectories} trajectories,`,
    );
    printLine(
      io.stdout,
      `${plan.updates} updates of ${plan.promptsPerUpdate} prompts, at most ${plan.longestSequence} tokens each.`,
    );
    printLine(io.stdout, "The configuration is sound; nothing was started.");
  }
  return EXIT.ok;
}

function stepArithmetic({ data, actor_rollout_ref: { actor, rollout } }: RunConfig) {
  return {
    prompts: data.train_batch_size,
    samples: rollout.n,
    trajectories: data.train_batch_size * rollout.n,
    promptsPerUpdate: actor.ppo_mini_batch_size,
    updates: (data.train_batch_size / actor.ppo_mini_batch_size) * actor.ppo_epochs,
    longestSequence: rollout.prompt_length + rollout.response_length,
  };
}
