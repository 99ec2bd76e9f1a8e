import path from "node:path";
import {
  maskSecrets,
  type Notice,
  planRun,
  problemsError,
  type RunConfig,
  sourceOfKey,
  toPlain,
} from "../../core/config/index.js";
import {
  bytesText,
  CheckpointStore,
  checkPlan,
  checkpointToResume,
  checkResume,
  createAlgorithm,
  estimateMemory,
  freeBytes,
  isTooLarge,
  memoryLines,
  openInputs,
  type PlanOwner,
  type ResumeReport,
  type RunMemory,
  refuseFinished,
  refuseUnfitInputs,
  resumeLines,
  resumeReport,
  type SavedCheckpoint,
} from "../../core/trainer/index.js";
import { commandLogger } from "../program/command-logger.js";
import { type CommandIo, printJson, printLine } from "../program/io.js";
import { type PreparedRun, printNotices } from "./prepare-run.js";
import { runTrackers } from "./run-trackers.js";

/** The arithmetic of a run. */
interface DryRun {
  /** Rows of training data in use, and of validation data. */
  readonly rows: number;
  readonly validationRows: number;
  readonly stepsPerEpoch: number;
  readonly totalSteps: number;
  readonly promptsPerStep: number;
  readonly samplesPerPrompt: number;
  readonly trajectoriesPerStep: number;
  readonly updatesPerStep: number;
  readonly promptsPerUpdate: number;
  /** Tokens of prompt and response together. */
  readonly longestSequence: number;
  readonly memory: RunMemory;
  /** The checkpoint that the run would go on from; null for a run that starts anew. */
  readonly resume: ResumeReport | null;
  /** Bytes that are free for checkpoints; null where the system does not tell. */
  readonly freeBytes: number | null;
  /** Engines and servers that could not say whether they can do what they are asked for. */
  readonly unasked: readonly PlanOwner[];
}

/**
 * `verl train --dry-run`: asks engines, servers and trackers whether they could do it, looks at the run's folders, reads tokenizer, data and reward, and says what would run and
 * in how much memory. No engine or server is started, but the platform must be there.
 */
export async function dryRun(run: PreparedRun, io: CommandIo, json: boolean): Promise<void> {
  const { composed, config, notices } = run;
  const { plan, warnings } = await measure(run, io);
  if (!json) printNotices(warnings, io);
  if (json)
    printJson(io, { config: maskSecrets(toPlain(composed.tree), io.env), plan, notices: [...notices, ...warnings] });
  else for (const line of [...describe(plan, config), "Nothing was started."]) printLine(io.stdout, line);
}

async function measure(
  run: PreparedRun,
  io: CommandIo,
): Promise<{ readonly plan: DryRun; readonly warnings: readonly Notice[] }> {
  const { composed, config, host } = run;
  const cleanups: (() => Promise<void>)[] = [];
  await runTrackers(run, io, { logger: commandLogger(io) });
  const services = await host.services({ device: config.trainer.device });
  const scope = { config, cwd: io.cwd, services, sourceOf: (key: string) => sourceOfKey(composed.tree, key) };
  try {
    const totalSteps = config.trainer.total_training_steps ?? 0;
    const checked = await checkPlan(scope, { algorithm: createAlgorithm(scope), totalSteps });
    if (checked.problems.length > 0) throw problemsError(checked.problems);
    const inputs = await openInputs(
      {
        config,
        services,
        cwd: io.cwd,
        logger: commandLogger(io),
        signal: new AbortController().signal,
      },
      cleanups,
    );
    refuseUnfitInputs(checked, inputs, config);
    const { train, validation } = inputs;
    const { data, actor_rollout_ref } = config;
    const { actor, rollout } = actor_rollout_ref;
    const arithmetic = train
      ? planRun(config, train.length)
      : { rows: 0, stepsPerEpoch: 0, totalSteps: 0, trajectoriesPerStep: 0, updatesPerStep: 0 };
    const passedOver: Notice[] = [];
    const warn = (message: string) => void passedOver.push({ level: "warning", key: "trainer.resume_mode", message });
    const saved = await savedCheckpoint(config, arithmetic.totalSteps, { cwd: io.cwd, warn });
    if (saved) await checkResume(saved, scope, { train, totalSteps: arithmetic.totalSteps, warn });
    const plan = {
      ...arithmetic,
      validationRows: validation?.length ?? 0,
      promptsPerStep: data.train_batch_size,
      samplesPerPrompt: rollout.n,
      promptsPerUpdate: actor.ppo_mini_batch_size,
      longestSequence: rollout.prompt_length + rollout.response_length,
      memory: await estimateMemory(scope, arithmetic.totalSteps),
      resume: saved && (await resumeReport(saved, config, train)),
      freeBytes: await freeBytes(path.resolve(io.cwd, config.trainer.default_local_dir)),
      unasked: checked.unasked,
    };
    return { plan, warnings: [...checked.warnings, ...passedOver] };
  } finally {
    for (const cleanup of cleanups.reverse()) await cleanup();
  }
}

/** Refuses a run that is finished, as the run itself would. */
async function savedCheckpoint(
  config: RunConfig,
  totalSteps: number,
  scope: { readonly cwd: string; warn(message: string): void },
): Promise<SavedCheckpoint | null> {
  const { trainer } = config;
  const store = new CheckpointStore(path.resolve(scope.cwd, trainer.default_local_dir), { maxToKeep: null, runId: "" });
  const saved = await checkpointToResume(store, trainer, scope);
  if (saved) await refuseFinished(store, saved, totalSteps, config);
  return saved;
}

function describe(plan: DryRun, { trainer, actor_rollout_ref }: RunConfig): string[] {
  const lines: string[] = [];
  const [restored, ...next] = plan.resume ? resumeLines(plan.resume) : [];
  if (restored) lines.push(`Resume: ${restored}.`, ...next.map((line) => `  ${line}`));
  if (plan.rows > 0) {
    const passes = plan.totalSteps / plan.stepsPerEpoch;
    lines.push(
      `Training: ${count(plan.totalSteps, "step")} over ${count(plan.rows, "row")}, ${count(plan.stepsPerEpoch, "step")} a pass (${Number(passes.toFixed(2))} ${passes === 1 ? "pass" : "passes"}).`,
      `A step:   ${plan.promptsPerStep} prompts x ${plan.samplesPerPrompt} samples = ${plan.trajectoriesPerStep} trajectories of at most ${plan.longestSequence} tokens; ${count(plan.updatesPerStep, "update")} of ${count(plan.promptsPerUpdate, "prompt")}.`,
    );
    const { n_gpus_per_node: ranks } = trainer;
    if (ranks > 1) lines.push(`Processes: ${ranks} train, each on its share of every update.`);
  }
  if (plan.validationRows > 0) {
    const { n } = actor_rollout_ref.rollout.val_kwargs;
    const when = [
      ...(trainer.val_before_train ? ["before the first step"] : []),
      ...(trainer.test_freq > 0 && !trainer.val_only ? [`${every(trainer.test_freq)} and after the last one`] : []),
    ];
    lines.push(
      `Validation: ${count(plan.validationRows, "row")} x ${count(n, "sample")}, ${when.join(", ") || "never"}.`,
    );
  }
  if (!trainer.val_only) {
    const kept = trainer.max_actor_ckpt_to_keep ? `, the newest ${trainer.max_actor_ckpt_to_keep} are kept` : "";
    const saves = trainer.save_freq > 0 ? `${every(trainer.save_freq)} and after the last one${kept}` : "none";
    const free = plan.freeBytes === null ? "" : `; ${bytesText(plan.freeBytes)} free`;
    lines.push(`Checkpoints: ${saves} (${trainer.default_local_dir}${free}).`);
    const state = trainedBytes(plan.memory);
    if (trainer.save_freq > 0 && plan.freeBytes !== null && plan.freeBytes < state)
      lines.push(`  What is trained takes ${bytesText(state)} in memory: a checkpoint may not fit.`);
  }
  const [sum, ...details] = memoryLines(plan.memory);
  if (sum !== undefined) lines.push(`Memory: ${sum}.`, ...details.map((line) => `  ${line}`));
  if (plan.unasked.length > 0)
    lines.push(`Not asked:   ${plan.unasked.join(", ")}: a start would tell whether they can do this.`);
  if (isTooLarge(plan.memory)) lines.push("  That is more than there is: the run would be killed.");
  return lines;
}

/** Of models and their optimizers: about what a checkpoint holds. */
const trainedBytes = ({ parts }: RunMemory): number =>
  parts
    .filter(({ owner, during }) => (owner === "actor" || owner === "critic") && during === "always")
    .reduce((sum, { bytes }) => sum + bytes, 0);

const count = (n: number, unit: string) => `${n} ${unit}${n === 1 ? "" : "s"}`;
const every = (frequency: number) => (frequency === 1 ? "every step" : `every ${frequency} steps`);
