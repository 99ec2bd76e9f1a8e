import { maskSecrets, type RunPlan } from "../config/index.js";
import type { Dataset } from "../data/dataset.js";
import { isVerlError, reasonOf, withConsequence } from "../host/errors.js";
import { ATTRIBUTE } from "../tracing/index.js";
import type { SavedCheckpoint } from "./checkpoint-store.js";
import { trainerErrors } from "./errors.js";
import { HealthMonitor } from "./health.js";
import type { CheckpointCallback } from "./hooks.js";
import { type PromptFeed, promptFeed } from "./prompt-feed.js";
import { resumeLines, resumeReport } from "./resume-report.js";
import { type RunState, runContext, StepMetrics, trainEndContext, validateEndContext } from "./run-context.js";
import type { RunParts } from "./run-parts.js";
import { timeMetrics } from "./step-metrics.js";
import { StepTimers } from "./timing.js";
import { isTrainable, type TrainBatch } from "./train-batch.js";
import type { FitResult, Trainer, TrainerOptions } from "./trainer.js";
import { loadRun, type ResumedRun, saveLateMetrics, saveRun } from "./trainer-state.js";
import { runStep } from "./training-step.js";
import { validate } from "./validation.js";

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
  #saved: SavedCheckpoint | null = null;
  /** What the checkpoint itself holds of its step. */
  #savedMetrics: Metrics = {};
  #stops = 0;
  /** Steps of this process, and those of them in which nothing could be trained on. */
  readonly #steps = { done: 0, untrained: 0 };
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
      config: frozenCopy(config),
      signal: AbortSignal.any([this.#interrupted, ...parts.failed]),
      stopReason: null,
    };
    this.#health = new HealthMonitor(config.trainer.health, config.data.train_batch_size, parts.logger);
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
    await this.#tracked(async () => {
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
    return this.#tracked(async () => {
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

  /** Whatever goes wrong, the trackers are finished with it. */
  async #tracked<T>(work: () => Promise<T>): Promise<T> {
    const { trackers, logger } = this.parts;
    try {
      return await work();
    } catch (failure) {
      // An abort breaks whatever was under way; why it came says more than how that broke.
      const error: unknown = this.#abort.signal.aborted ? this.#abort.signal.reason : failure;
      const later = await trackers.finish({ exitCode: 1, error }).then(
        () => null,
        (failed: unknown) => failed,
      );
      if (later === null) throw error;
      // What ends the run is told first, and only once.
      const { what, why } = isVerlError(later) ? later : { what: reasonOf(later), why: undefined };
      const consequence = why ? `${what}: ${why}` : what;
      if (isVerlError(error)) throw withConsequence(error, consequence);
      logger.error(consequence);
      throw error;
    }
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
      metrics = await this.#step();
    }
    this.#reportUntrained();
    if (state.globalStep === state.totalSteps) return this.#result("completed", metrics);
    // Asked to stop after the step's own decision whether to save.
    if (state.globalStep >= first && this.#saved?.step !== state.globalStep) {
      await this.#save(metrics);
      await this.#markLogged();
    }
    return this.#result("stopped", metrics);
  }

  /** A run that has trained on nothing must not pass for one that has trained. */
  #reportUntrained(): void {
    const { done, untrained } = this.#steps;
    if (untrained === 0) return;
    const what = `no trainable tokens in ${untrained} of ${done} steps`;
    if (untrained < done) {
      this.parts.logger.warn(what);
      return;
    }
    throw trainerErrors.VERL_TRAINER_NO_TRAINABLE({
      what,
      why: "the actor was never updated; the warnings of the steps say why",
      fix: "loosen rollout_correction.rollout_rs_threshold, or choose an estimator that needs fewer tokens",
    });
  }

  async #step(): Promise<Metrics> {
    const { parts } = this;
    const state = this.#state;
    const metrics = new StepMetrics();
    const timers = new StepTimers(parts.tracer, parts.profiler);
    const start = {
      kind: "step",
      name: "step",
      attributes: { [ATTRIBUTE.step]: state.globalStep },
      root: true,
    } as const;
    return parts.tracer.span(start, () => this.#timedStep(metrics, timers));
  }

  async #timedStep(metrics: StepMetrics, timers: StepTimers): Promise<Metrics> {
    const { parts } = this;
    const state = this.#state;
    const batch = await runStep({
      parts,
      feed: this.#feed,
      state,
      metrics,
      timers,
      save: async () => {
        if (!this.#isDue(parts.config.trainer.save_freq) && state.stopReason === null) return;
        await timers.time("save_checkpoint", () => this.#save(metrics.values));
      },
      keepMetrics: () => this.#keepMetrics(metrics.values),
      pushWeights: () => this.#pushWeights(),
    });
    return this.#closeStep(metrics, timers, batch);
  }

  /** The end of a step that a killed run had saved but not logged. Its hooks have been called; they are not called again. */
  #finishResumedStep(resumed: ResumedRun): Promise<Metrics> {
    const metrics = new StepMetrics();
    metrics.set(resumed.metrics);
    this.#saved = resumed;
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
      this.#steps.done++;
      if (!isTrainable(batch)) this.#steps.untrained++;
    }
    await parts.trackers.log(metrics.values, globalStep);
    if (batch) this.#health.check(metrics.values, globalStep);
    await this.#markLogged();
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

  async #save(metrics: Metrics): Promise<void> {
    const { parts } = this;
    const state = this.#state;
    const saved = await saveRun(parts, state.globalStep, metrics);
    this.#saved = saved;
    this.#savedMetrics = { ...metrics };
    const details: Parameters<CheckpointCallback["onSave"]>[0] = {
      globalStep: saved.step,
      checkpointDir: saved.dir,
      asyncSave: false,
      config: state.config,
      signal: state.signal,
    };
    for (const callback of parts.checkpointCallbacks) await callback.onSave(details);
  }

  /** Of a step that is saved, the metrics that are newer than its checkpoint. */
  async #keepMetrics(metrics: Metrics): Promise<void> {
    const saved = this.#saved;
    if (saved?.step !== this.#state.globalStep) return;
    const late = Object.entries(metrics).filter(([name]) => !(name in this.#savedMetrics));
    if (late.length > 0) await saveLateMetrics(saved, Object.fromEntries(late));
  }

  async #markLogged(): Promise<void> {
    if (this.#saved?.step === this.#state.globalStep) await this.parts.checkpoints.markLogged(this.#saved);
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

/** What hooks see of the configuration: theirs to read, not to change, and without secrets, which they may print. */
function frozenCopy(config: RunParts["config"]): RunState["config"] {
  const freeze = (value: unknown): void => {
    if (typeof value !== "object" || value === null || Object.isFrozen(value)) return;
    Object.freeze(value);
    for (const inner of Object.values(value)) freeze(inner);
  };
  const copy = maskSecrets(JSON.parse(JSON.stringify(config)) as RunState["config"], process.env);
  freeze(copy);
  return copy;
}
