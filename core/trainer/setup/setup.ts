import path from "node:path";
import type { AgentLoopManager } from "../../agent/agent-loop.js";
import { adapterUsed, planRun } from "../../config/index.js";
import type { BaseEngine } from "../../engine/index.js";
import { createTrackerSet, type Tracker } from "../../tracking/index.js";
import { requireStream } from "../../transfer/index.js";
import { checkResume } from "../checkpoint/check-resume.js";
import { CheckpointStore } from "../checkpoint/checkpoint-store.js";
import { dataFingerprint } from "../checkpoint/data-fingerprint.js";
import { checkpointToResume, refuseFinished } from "../checkpoint/resume-point.js";
import { tokenizerExport } from "../checkpoint/tokenizer-export.js";
import { startOf } from "../checkpoint/trainer-state.js";
import { runDumps } from "../dumps.js";
import { estimateMemory, isTooLarge, memoryLines } from "../plan/memory-estimate.js";
import { checkPlan, refuseUnfitInputs, requirePlan } from "../plan/plan-check.js";
import { RunLock } from "../run-lock.js";
import type { RunParts } from "../run-parts.js";
import { StallWatch } from "../sampling/stall-watch.js";
import { naiveWeightSync } from "../sampling/weight-sync.js";
import { LostUpdates } from "../step/divergence.js";
import { referencePolicy } from "../step/reference-policy.js";
import { SyncTrainer } from "../sync-trainer.js";
import type { TrainerFactory, TrainerOptions } from "../trainer.js";
import { checkOutputs, createAlgorithm } from "./algorithm-setup.js";
import { refuseLargerTokenizer, refuseSilentSampler, requireMultiModal, requireValues } from "./fitness.js";
import { openInputs } from "./input-setup.js";
import { openLoader } from "./loader-setup.js";
import type { ShownMedia } from "./media-setup.js";
import { createPlannedEngine, type EnginePlan, type EngineScope, planEngines } from "./run-engines.js";
import { createSampling } from "./sampling-setup.js";
import { createRunTracer } from "./tracing-setup.js";

/** `trainer.v1.trainer_mode: sync`. */
export const syncTrainerFactory: TrainerFactory = { mode: "sync", create: createSyncTrainer };

/** Builds every part of a synchronous run, cheapest checks first; what was built is taken down when a later part fails. */
export async function createSyncTrainer(options: TrainerOptions): Promise<SyncTrainer> {
  const cleanups: (() => Promise<void>)[] = [];
  const dispose = async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  };
  try {
    return await build(options, cleanups, dispose);
  } catch (error) {
    await dispose().catch((later) => options.logger.error(`while cleaning up: ${later}`));
    throw error;
  }
}

async function build(
  options: TrainerOptions,
  cleanups: (() => Promise<void>)[],
  dispose: () => Promise<void>,
): Promise<SyncTrainer> {
  const { config, services, logger, cwd, signal } = options;
  const { trainer } = config;

  const root = path.resolve(cwd, trainer.default_local_dir);
  const lock = await RunLock.acquire(root);
  cleanups.push(() => lock.release());

  const algorithm = createAlgorithm(options);
  const checked = await checkPlan(options, { algorithm, totalSteps: trainer.total_training_steps ?? 0 });
  requirePlan(checked, logger);
  const checkpoints = new CheckpointStore(root, {
    maxToKeep: trainer.max_actor_ckpt_to_keep,
    runId: `${trainer.project_name}/${trainer.experiment_name}/${trainer.seed}`,
  });
  await checkpoints.clean();
  const resumeFrom = await checkpointToResume(checkpoints, trainer, { cwd, warn: logger.warn.bind(logger) });
  const startedAt = (resumeFrom && (await startOf(resumeFrom))) ?? new Date();
  const inputs = await openInputs(options, cleanups, () => startedAt);
  const { tokenizer, media, shown, train, validation, rewards } = inputs;
  refuseUnfitInputs(checked, inputs, config);
  const plan = train
    ? planRun(config, train.length)
    : { totalSteps: trainer.total_training_steps ?? 0, stepsPerEpoch: 1 };

  if (resumeFrom) {
    await refuseFinished(checkpoints, resumeFrom, plan.totalSteps, config);
    await checkResume(resumeFrom, options, { train, totalSteps: plan.totalSteps, warn: logger.warn.bind(logger) });
  }
  if (train && !(trainer.save_freq > 0)) {
    logger.info("no checkpoints: trainer.save_freq is not set, so the trained model is not kept");
  }

  await reportMemory(options, plan.totalSteps);
  await rewards.start({ signal });
  const ranks = trainer.n_gpus_per_node > 1 ? await services.startRanks(trainer.n_gpus_per_node) : null;
  cleanups.push(async () => ranks?.dispose());
  const engines = planEngines(options, plan.totalSteps);
  const scope = { ...options, ranks };
  const actor = await createPlannedEngine(engines.actor, scope, cleanups);
  checkOutputs(actor, algorithm);
  requireStream(actor);
  requireMultiModal(actor, shown, "actor_rollout_ref.actor.strategy");
  if (!actor.capabilities.multiModal) media.restrict([], "the engine understands text alone");
  await actor.initialize({ signal });
  refuseLargerTokenizer(actor.modelInfo(), tokenizer);
  reportAdapter(options, actor);
  const critic = engines.critic && (await createCritic(engines.critic, scope, { cleanups, shown }));
  const ofReference = engines.reference && (await createReference(engines.reference, scope, cleanups));
  const reference = referencePolicy(config, actor, ofReference);

  const tracer = await createRunTracer(options, {
    outputDir: options.display.outputDir,
    resumed: resumeFrom !== null,
  });
  cleanups.push(() => tracer.finish());
  rewards.trace(tracer);
  let built: SyncTrainer | null = null;
  const refill = async (count: number) => built?.refill(count);
  const { vocabSize } = actor.modelInfo();
  const needs = { ...inputs, tracer, refill, vocabSize, now: startedAt };
  const sampling = await createSampling(options, needs, cleanups);
  refuseSilentSampler(sampling.replicas, config);

  const weights = naiveWeightSync({ engine: actor, replicas: sampling.replicas, adapters: sampling.adapters });
  const hooks = services.createHookDriver({ deadlineMs: trainer.hook_deadline_s * 1000 });
  const parts: RunParts = {
    ...algorithm,
    config,
    profiler: options.profiler,
    tokenizer,
    media,
    validation,
    loader: train && (await openLoader(options, train)),
    dataFingerprint: train && dataFingerprint(train),
    queue: sampling.queue,
    replay: sampling.replay,
    manager: sampling.manager,
    lateRewards: rewards.late(weights),
    actor,
    vocabSize,
    critic,
    reference,
    failed: [sampling.manager.failed, ranks?.lost].filter((signal) => signal !== undefined),
    weights,
    lostUpdates: new LostUpdates(trainer.max_skipped_updates),
    fire: (name, context, work) => hooks.run(name, context, work),
    trackers: createTrackerSet([...options.trackers, stallTracker(options, sampling.manager)]),
    checkpoints,
    exportTokenizer: tokenizerExport(options, tokenizer),
    startedAt,
    checkpointCallbacks: options.checkpointCallbacks,
    logger,
    tracer,
    dump: runDumps(config, { tokenizer, media }, cwd),
    dispose,
  };
  built = new SyncTrainer(parts, { plan, resumeFrom, train, signal, display: options.display });
  return built;
}

/** The watch hears of progress as trackers do, and ends with them. */
function stallTracker({ config, logger }: TrainerOptions, manager: AgentLoopManager): Tracker {
  const { stalled_after_s: afterSeconds } = config.trainer.health;
  const watch = new StallWatch({ afterSeconds, waiting: () => manager.waiting?.() ?? [], logger });
  return {
    name: "stall watch",
    start() {},
    log() {},
    progress: (update) => watch.progress(update),
    finish: () => watch.stop(),
  };
}

async function createCritic(
  plan: EnginePlan,
  scope: TrainerOptions & EngineScope,
  { cleanups, shown }: { readonly cleanups: (() => Promise<void>)[]; readonly shown: ShownMedia },
): Promise<BaseEngine> {
  const engine = await createPlannedEngine(plan, scope, cleanups);
  requireValues(engine);
  requireMultiModal(engine, shown, "critic.strategy");
  await engine.initialize({ signal: scope.signal });
  return engine;
}

async function createReference(
  plan: EnginePlan,
  scope: TrainerOptions & EngineScope,
  cleanups: (() => Promise<void>)[],
): Promise<BaseEngine> {
  const engine = await createPlannedEngine(plan, scope, cleanups);
  await engine.initialize({ signal: scope.signal });
  return engine;
}

/** Said before anything is loaded: a machine that is too small kills the process without a word. */
async function reportMemory(scope: TrainerOptions, totalSteps: number): Promise<void> {
  const memory = await estimateMemory(scope, totalSteps);
  const [sum] = memoryLines(memory);
  if (sum === undefined) return;
  if (isTooLarge(memory)) scope.logger.warn(`memory: ${sum}; \`--dry-run\` shows what for`);
  else scope.logger.info(`memory: ${sum}`);
}

function reportAdapter({ logger, config }: TrainerOptions, actor: BaseEngine): void {
  const { parameters, trainedParameters = parameters } = actor.modelInfo();
  if (!adapterUsed(config.actor_rollout_ref.model)) return;
  const share = ((100 * trainedParameters) / parameters).toPrecision(2);
  logger.info(`adapter: ${trainedParameters} trained parameters, ${share} % of the model's ${parameters}`);
}
