import path from "node:path";
import type { RunPlan } from "../config/index.js";
import type { Dataset } from "../data/rows/dataset.js";
import type { SavedCheckpoint } from "./checkpoint/checkpoint-store.js";
import { resumeLines, resumeReport } from "./checkpoint/resume-report.js";
import { SavedStep } from "./checkpoint/saved-step.js";
import { loadRun, type ResumedRun } from "./checkpoint/trainer-state.js";
import { trainerErrors } from "./errors.js";
import { validate } from "./evaluation/validation.js";
import { HealthMonitor } from "./metrics/health.js";
import { timeMetrics } from "./metrics/step-metrics.js";
import { StepTimers, stepSpan } from "./metrics/timing.js";
import {
  configForHooks,
  type RunState,
  runContext,
  StepMetrics,
  trainEndContext,
  validateEndContext,
} from "./run-context.js";
import type { RunParts } from "./run-parts.js";
import { type PromptFeed, promptFeed } from "./sampling/prompt-feed.js";
import { requireSoundModels } from "./step/divergence.js";
import type { TrainBatch } from "./step/train-batch.js";
import { runStep } from "./step/training-step.js";
import { UntrainedSteps } from "./step/untrained-steps.js";
import type { FitResult, Trainer, TrainerOptions } from "./trainer.js";
import { withTrackers } from "./with-trackers.js";

export interface SyncTrainerOptions {
  readonly plan: Pick<RunPlan, "totalSteps" | "stepsPerEpoch">;
  /** The checkpoint to go on from; null for a run that starts anew. */
  readonly resumeFrom: SavedCheckpoint | null;
  /** Names the row that a resumed run draws next. */
  readonly train: Dataset | null;
  readonly signal: AbortSignal;
  readonly display: TrainerOptions["display"];
}

type Metrics = Readonly<Record<string, number>>;
type EndReason = "completed" | "stopped" | "failed";

/**
 * The synchronous trainer: sample with the current weights, train on all of it, push the new weights, repeat. Trajectories
 * are never stale. A step is in `training-step.ts`, its stages in `sampling-stage.ts` and `step-pipeline.ts`.
 */
export class SyncTrainer implements Trainer {
  readonly #abort = new AbortController();
  /** Aborted by whoever runs the trainer: nothing more is waited for then. */
  readonly #interrupted: AbortSignal;
  readonly #state: RunState;
  readonly #feed: PromptFeed;
  readonly #validations: FitResult["validations"][number][] = [];
  readonly #health: HealthMonitor;
  #resumed: ResumedRun | null = null;
  readonly #savedStep: SavedStep;
  #stops = 0;
  readonly #untrained = new UntrainedSteps();
  #lastBatch: TrainBatch | null = null;
  #initialised = false;

  constructor(
    private readonly parts: RunParts,
    private readonly options: SyncTrainerOptions,
  ) {
    const { config, queue, manager, loader } = parts;
    this.#interrupted = AbortSignal.any([this.#abort.signal, options.signal]);
    this.#state = {
      globalStep: 0,
      totalSteps: options.plan.totalSteps,
      epoch: 0,
      weightVersion: -1,
      config: configForHooks(config),
      signal: AbortSignal.any([this.#interrupted, ...parts.failed]),
      stopReason: null,
    };
    this.#savedStep = new SavedStep(parts, this.#state);
    this.#health = new HealthMonitor(
      config.trainer.health,
      config.data.train_batch_size,
      parts.logger,
      typedFolder(options.display.outputDir),
    );
    const sessions = config.actor_rollout_ref.rollout.n;
    this.#feed = promptFeed({ queue, manager, loader, seed: config.trainer.seed, sessions });
  }

  get globalStep(): number {
    return this.#state.globalStep;
  }

  /** Restore a checkpoint if the configuration asks for one, and bring the servers to its weights. */
  async init(): Promise<void> {
    const { parts } = this;
    const { trainer } = parts.config;
    const state = this.#state;
    const saved = this.options.resumeFrom;
    const resumed = saved && (await loadRun(parts, saved));
    if (resumed) {
      state.globalStep = resumed.step;
      const [restored, ...next] = resumeLines(await resumeReport(resumed, parts.config, this.options.train));
      for (const line of [`resumed ${restored}`, ...next]) parts.logger.info(line);
      // The killed run may not have come to it.
      if (resumed.dir === parts.checkpoints.dirOf(resumed.step)) await parts.checkpoints.rotate(resumed.step);
    }
    this.#resumed = resumed;
    await this.#withTrackers(async () => {
      await parts.trackers.start({
        ...this.options.display,
        projectName: trainer.project_name,
        experimentName: trainer.experiment_name,
        totalSteps: state.totalSteps,
        startStep: state.globalStep,
        logsStartStepAgain: resumed !== null && !resumed.logged && !trainer.val_only,
        logger: parts.logger,
      });
      await parts.fire("onInitEnd", runContext(state), () => this.#pushWeights());
    });
    this.#initialised = true;
  }

  async fit(): Promise<FitResult> {
    if (!this.#initialised) await this.init();
    return this.#withTrackers(async () => {
      const result = await this.#run();
      await this.parts.trackers.finish({ exitCode: 0 });
      return result;
    });
  }

  /** Further prompts for the step at hand, in place of groups that failed. */
  async refill(count: number): Promise<void> {
    await this.#feed.submitTrain(count, this.#state.globalStep, this.#state.signal);
  }

  stop(reason: string): void {
    this.#state.stopReason ??= reason;
    if (++this.#stops > 1) {
      this.#abort.abort(trainerErrors.VERL_TRAINER_ABORTED({ what: `the run was aborted (${reason})` }));
    }
  }

  async dispose(): Promise<void> {
    const reason = trainerErrors.VERL_TRAINER_ABORTED({ what: "the trainer was disposed" });
    this.#abort.abort(reason);
    await this.parts.manager.cancel(reason).catch(() => {});
    await this.parts.trackers.finish({ exitCode: 1, error: reason }).catch(() => {});
    await this.parts.dispose();
  }

  #withTrackers<T>(work: () => Promise<T>): Promise<T> {
    return withTrackers(this.parts, this.#abort.signal, work);
  }

  async #run(): Promise<FitResult> {
    const { parts } = this;
    const { trainer } = parts.config;
    const state = this.#state;
    // A resumed run is not before its first step: it goes on with the metrics that the uninterrupted run would have.
    if (trainer.val_before_train && parts.validation && (state.globalStep === 0 || trainer.val_only)) {
      const metrics = await this.#validate();
      await parts.trackers.log(metrics, state.globalStep);
      if (trainer.val_only) return this.#result("completed", metrics);
    }
    state.epoch = this.#epochAfter(state.globalStep);
    await parts.fire("onTrainBegin", runContext(state));
    let result: FitResult;
    try {
      result = await this.#train();
    } catch (error) {
      // An abort does not wait for anybody's hooks.
      if (!this.#interrupted.aborted) {
        await this.#trainEnd("failed").catch((later) => parts.logger.error(`onTrainEnd failed too: ${later}`));
      }
      throw error;
    }
    await this.#trainEnd(result.reason);
    return result;
  }

  async #train(): Promise<FitResult> {
    const state = this.#state;
    let metrics: Metrics = {};
    if (this.#resumed && !this.#resumed.logged) metrics = await this.#finishResumedStep(this.#resumed);
    const first = state.globalStep + 1;
    while (state.globalStep < state.totalSteps && state.stopReason === null) {
      state.globalStep++;
      state.epoch = this.#epochAfter(state.globalStep - 1);
      metrics = await this.#tracedStep();
    }
    this.#untrained.report(this.parts.logger);
    this.parts.lostUpdates.report(state.globalStep);
    const isUnsaved = state.globalStep >= first && !this.#savedStep.isCurrent;
    if (isUnsaved) await this.#requireSound();
    if (state.globalStep === state.totalSteps) return this.#result("completed", metrics);
    // Asked to stop after the step's own decision whether to save.
    if (isUnsaved) {
      await this.#savedStep.save(metrics);
      await this.#savedStep.markLogged();
    }
    return this.#result("stopped", metrics);
  }

  /** The models that the last step has left. */
  async #requireSound(): Promise<void> {
    if (this.#lastBatch) await requireSoundModels(this.parts, this.#lastBatch, this.#state);
  }

  #tracedStep(): Promise<Metrics> {
    return this.parts.tracer.span(stepSpan(this.#state.globalStep), () => this.#step());
  }

  async #step(): Promise<Metrics> {
    const { parts } = this;
    const state = this.#state;
    const metrics = new StepMetrics();
    const timers = new StepTimers(parts.tracer, parts.profiler);
    const batch = await runStep({
      parts,
      feed: this.#feed,
      state,
      metrics,
      timers,
      save: async (batch) => {
        this.#lastBatch = batch;
        if (!this.#isDue(parts.config.trainer.save_freq) && state.stopReason === null) return;
        await timers.time("save_checkpoint", async () => {
          await this.#requireSound();
          await this.#savedStep.save(metrics.values);
        });
      },
      keepMetrics: () => this.#savedStep.keepMetrics(metrics.values),
      pushWeights: () => this.#pushWeights(),
    });
    return this.#closeStep(metrics, timers, batch);
  }

  /** The end of a step that a killed run had saved but not logged. Its hooks have been called; they are not called again. */
  #finishResumedStep(resumed: ResumedRun): Promise<Metrics> {
    const metrics = new StepMetrics();
    metrics.set(resumed.metrics);
    this.#savedStep.takeUp(resumed);
    return this.#closeStep(metrics, new StepTimers(), null);
  }

  /** What comes after the servers have the new weights: validation, and the log. */
  async #closeStep(metrics: StepMetrics, timers: StepTimers, batch: TrainBatch | null): Promise<Metrics> {
    const { parts } = this;
    const { globalStep } = this.#state;
    if (parts.validation && this.#isDue(parts.config.trainer.test_freq)) {
      metrics.set(await timers.time("testing", () => this.#validate()));
    }
    if (batch) {
      metrics.set(timeMetrics(batch, timers, parts.config.trainer.n_gpus_per_node));
      this.#untrained.count(batch);
    }
    await parts.trackers.log(metrics.values, globalStep);
    if (batch) this.#health.check(metrics.values, globalStep);
    await this.#savedStep.markLogged();
    return metrics.values;
  }

  async #validate(): Promise<Metrics> {
    const { parts } = this;
    const state = this.#state;
    await parts.fire("onValidateBegin", runContext(state), () => parts.weights.wake());
    const metrics = new StepMetrics();
    metrics.set(await validate(parts, this.#feed, state));
    await parts.fire("onValidateEnd", validateEndContext(state, metrics));
    this.#validations.push({ step: state.globalStep, metrics: metrics.values });
    return metrics.values;
  }

  async #pushWeights(): Promise<void> {
    await this.parts.weights.push(this.#state.globalStep, this.#state.signal);
    this.#state.weightVersion = this.parts.weights.version;
  }

  async #trainEnd(reason: EndReason): Promise<void> {
    await this.parts.fire("onTrainEnd", trainEndContext(this.#state, reason));
  }

  /** Frequencies of 0 and below mean never, the last step included. */
  #isDue(frequency: number): boolean {
    const { globalStep, totalSteps } = this.#state;
    return frequency > 0 && (globalStep === totalSteps || globalStep % frequency === 0);
  }

  #epochAfter(steps: number): number {
    return Math.floor(steps / this.options.plan.stepsPerEpoch);
  }

  #result(reason: FitResult["reason"], metrics: Metrics): FitResult {
    return {
      reason,
      globalStep: this.#state.globalStep,
      metrics,
      validations: this.#validations,
      alarms: this.#health.alarms,
    };
  }
}

/** As a user would type it here. */
function typedFolder(dir: string): string {
  const folder = path.relative(process.cwd(), dir) || ".";
  return /^[\w./-]+$/.test(folder) ? folder : `'${folder}'`;
}
