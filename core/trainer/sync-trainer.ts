import { trajectoryRecord } from "../agent/index.js";
import { VerlError } from "../host/errors.js";
import { trainerErrors } from "./errors.js";
import { type PromptFeed, promptFeed } from "./prompt-feed.js";
import {
  type RunState,
  runContext,
  StepMetrics,
  stepContext,
  stepEndContext,
  trainEndContext,
  validateEndContext,
} from "./run-context.js";
import type { RunParts } from "./run-parts.js";
import { sampleStep } from "./sampling-stage.js";
import { showcase } from "./showcase.js";
import { stepMetrics } from "./step-metrics.js";
import { runPipeline, type StepScope } from "./step-pipeline.js";
import { StepTimers } from "./timing.js";
import type { FitResult, Trainer, TrainerOptions } from "./trainer.js";
import { loadRun, saveRun } from "./trainer-state.js";
import { validate } from "./validation.js";

/** Trajectories shown by trackers after each training step. */
const SHOWN_PER_STEP = 6;

/**
 * The synchronous trainer: sample with the current weights, train on all of it, push the new weights, repeat. Trajectories
 * are never stale. The stages of a step are in `step-pipeline.ts`, sampling in `sampling-stage.ts`.
 */
export class SyncTrainer implements Trainer {
  readonly #abort = new AbortController();
  readonly #state: RunState;
  readonly #feed: PromptFeed;
  #stopping = false;
  #savedStep = -1;
  readonly #validations: FitResult["validations"][number][] = [];
  #initialised = false;

  constructor(
    private readonly parts: RunParts,
    private readonly options: {
      readonly totalSteps: number;
      readonly signal: AbortSignal;
      readonly display: TrainerOptions["display"];
    },
  ) {
    this.#state = {
      globalStep: 0,
      totalSteps: options.totalSteps,
      epoch: 0,
      weightVersion: -1,
      config: parts.config as unknown as RunState["config"],
      signal: AbortSignal.any([
        this.#abort.signal,
        options.signal,
        ...(parts.manager.failed ? [parts.manager.failed] : []),
      ]),
      stopReason: null,
    };
    this.#feed = promptFeed({
      queue: parts.queue,
      manager: parts.manager,
      loader: parts.loader,
      seed: parts.config.trainer.seed,
    });
  }

  /** Restore a checkpoint if the configuration asks for one, and bring the servers to its weights. */
  async init(): Promise<void> {
    const { parts } = this;
    const saved = await this.#checkpointToResume();
    if (saved) {
      this.#state.globalStep = await loadRun(parts, saved);
      parts.logger.info(`resumed step ${this.#state.globalStep} from ${saved.dir}`);
    }
    const { project_name, experiment_name } = parts.config.trainer;
    await parts.trackers.start({
      ...this.options.display,
      projectName: project_name,
      experimentName: experiment_name,
      totalSteps: this.#state.totalSteps,
      startStep: this.#state.globalStep,
      logger: parts.logger,
    });
    await parts.fire("onInitEnd", runContext(this.#state), () => this.#pushWeights());
    this.#initialised = true;
  }

  get globalStep(): number {
    return this.#state.globalStep;
  }

  async fit(): Promise<FitResult> {
    if (!this.#initialised) await this.init();
    try {
      const result = await this.#run();
      await this.parts.trackers.finish({ exitCode: 0 });
      return result;
    } catch (error) {
      await this.parts.trackers
        .finish({ exitCode: 1, error })
        .catch((later: unknown) => this.parts.logger.error(`${later}`));
      throw error;
    }
  }

  async #run(): Promise<FitResult> {
    const { parts } = this;
    const { trainer } = parts.config;
    const state = this.#state;
    let metrics: Readonly<Record<string, number>> = {};

    if (trainer.val_before_train && parts.validation) {
      metrics = await this.#validate();
      await parts.trackers.log(metrics, state.globalStep);
      if (trainer.val_only) return this.#result("completed", metrics);
    }
    if (state.globalStep >= state.totalSteps) {
      throw trainerErrors.VERL_TRAINER_NO_STEPS({
        what: `the run is at step ${state.globalStep} of ${state.totalSteps}: there is nothing left to train`,
        why: state.globalStep > 0 ? "the checkpoint that it resumed is already at the end" : undefined,
      });
    }
    const firstStep = state.globalStep + 1;
    state.epoch = Math.floor(state.globalStep / parts.loader.stepsPerEpoch);
    await parts.fire("onTrainBegin", runContext(state));
    let reason: FitResult["reason"] = "completed";
    try {
      for (let step = firstStep; step <= state.totalSteps; step++) {
        state.globalStep = step;
        const stopAfter = () => this.#stopping || state.stopReason !== null;
        metrics = await this.#step(step === state.totalSteps, stopAfter);
        if (!stopAfter() || step === state.totalSteps) continue;
        // Asked to stop after this step's own decision to save: nothing of the step may be lost.
        if (this.#savedStep !== step) await this.#save();
        reason = "stopped";
        break;
      }
    } catch (error) {
      await this.#trainEnd("failed").catch((later) => parts.logger.error(`onTrainEnd failed too: ${later}`));
      throw error;
    }
    await this.#trainEnd(reason);
    return this.#result(reason, metrics);
  }

  /** Further prompts for the step at hand, in place of groups that failed. */
  async refill(count: number): Promise<void> {
    await this.#feed.submitTrain(count, this.#state.globalStep, this.#state.signal);
  }

  #result(reason: FitResult["reason"], metrics: FitResult["metrics"]): FitResult {
    return { reason, globalStep: this.#state.globalStep, metrics, validations: this.#validations };
  }

  stop(reason: string): void {
    if (this.#stopping) {
      this.#abort.abort(trainerErrors.VERL_TRAINER_ABORTED({ what: `the run was aborted (${reason})` }));
    }
    this.#stopping = true;
    this.#state.stopReason ??= reason;
  }

  async dispose(): Promise<void> {
    const reason = trainerErrors.VERL_TRAINER_ABORTED({ what: "the trainer was disposed" });
    this.#abort.abort(reason);
    await this.parts.manager.cancel(reason).catch(() => {});
    await this.parts.trackers.finish({ exitCode: 1, error: reason }).catch(() => {});
    await this.parts.dispose();
  }

  async #step(last: boolean, stopping: () => boolean): Promise<Readonly<Record<string, number>>> {
    const { parts } = this;
    const { trainer } = parts.config;
    const state = this.#state;
    const metrics = new StepMetrics();
    const timers = new StepTimers();
    const scope: StepScope = {
      globalStep: state.globalStep,
      metrics,
      timers,
      signal: state.signal,
      onPhase: (phase, done, total) => parts.trackers.progress({ step: state.globalStep, phase, done, total }),
    };
    const epoch = state.epoch;
    let keys: readonly string[] = [];

    const batch = await timers.time("step", async () => {
      await parts.fire("onStepBegin", stepContext(state, metrics));
      scope.onPhase("sampling");
      const sampled = await timers.time("gen", async () => {
        await this.#feed.submitTrain(parts.config.data.train_batch_size, state.globalStep, state.signal);
        return sampleStep(parts, this.#feed, state, metrics, parts.config.data.train_batch_size);
      });
      keys = sampled.keys;
      const trained = await runPipeline(parts, sampled.rows, scope);
      if (isDue(trainer.save_freq, state.globalStep, last) || stopping())
        await timers.time("save_checkpoint", () => this.#save());
      await parts.fire("onStepEnd", stepEndContext(state, metrics), async () => {
        await timers.time("update_weights", () => this.#pushWeights());
      });
      return trained;
    });
    if (
      parts.validation &&
      (isDue(trainer.test_freq, state.globalStep, last) || (stopping() && trainer.test_freq > 0))
    ) {
      metrics.set(await timers.time("testing", () => this.#validate()));
    }
    state.epoch = Math.floor(state.globalStep / parts.loader.stepsPerEpoch);
    metrics.set(stepMetrics(batch, { globalStep: state.globalStep, epoch, timers }));
    await parts.trackers.logTrajectories(
      showcase(batch.rows, SHOWN_PER_STEP).map((row) =>
        trajectoryRecord(row, { key: row.key, step: state.globalStep, split: "train" }, parts.tokenizer),
      ),
      state.globalStep,
    );
    await parts.dump("train", batch.rows, state.globalStep);
    await parts.queue.clear("train", keys);
    await parts.trackers.log(metrics.values, state.globalStep);
    return metrics.values;
  }

  async #validate(): Promise<Readonly<Record<string, number>>> {
    const { parts } = this;
    const state = this.#state;
    await parts.fire("onValidateBegin", runContext(state));
    const metrics = new StepMetrics();
    await parts.weights.wake();
    metrics.set(await validate(parts, this.#feed, state));
    await parts.fire("onValidateEnd", validateEndContext(state, metrics));
    this.#validations.push({ step: state.globalStep, metrics: metrics.values });
    return metrics.values;
  }

  async #save(): Promise<void> {
    const { parts } = this;
    const state = this.#state;
    const saved = await saveRun(parts, state.globalStep);
    this.#savedStep = saved.step;
    for (const callback of parts.checkpointCallbacks) {
      await callback.onSave({
        globalStep: saved.step,
        checkpointDir: saved.dir,
        asyncSave: false,
        config: state.config,
        signal: state.signal,
      });
    }
  }

  async #pushWeights(): Promise<void> {
    await this.parts.weights.push(this.#state.globalStep, this.#state.signal);
    this.#state.weightVersion = this.parts.weights.version;
  }

  async #trainEnd(reason: "completed" | "stopped" | "failed"): Promise<void> {
    await this.parts.fire("onTrainEnd", trainEndContext(this.#state, reason));
  }

  async #checkpointToResume() {
    const { trainer } = this.parts.config;
    const { checkpoints } = this.parts;
    if (trainer.resume_mode === "disable") return null;
    if (trainer.resume_mode === "auto") return checkpoints.latest();
    if (!trainer.resume_from_path) {
      throw new VerlError("VERL_TRAINER_CHECKPOINT_BAD", {
        what: "trainer.resume_mode is resume_path, but trainer.resume_from_path is not set",
        fix: "set it to a global_step_N folder",
      });
    }
    return checkpoints.at(trainer.resume_from_path);
  }
}

/** Frequencies of 0 and below mean never, the last step included. */
function isDue(frequency: number, step: number, last: boolean): boolean {
  return frequency > 0 && (last || step % frequency === 0);
}
