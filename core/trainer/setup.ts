import path from "node:path";
import { type AnyLoss, actorLoss, createKlController } from "../algorithms/index.js";
import { createPromptLoader } from "../data/index.js";
import type { BaseEngine } from "../engine/index.js";
import { createTrackerSet } from "../tracking/index.js";
import { CheckpointStore } from "./checkpoint-store.js";
import { runDumps } from "./dumps.js";
import { actorOptions, modelSourceOf, referenceOptions } from "./engine-options.js";
import { openDataset, openTokenizer } from "./input-setup.js";
import { createRewards } from "./rewards-setup.js";
import { RunLock } from "./run-lock.js";
import type { RunParts } from "./run-parts.js";
import { createSampling } from "./sampling-setup.js";
import { SyncTrainer } from "./sync-trainer.js";
import type { TrainerFactory, TrainerOptions } from "./trainer.js";
import { naiveWeightSync } from "./weight-sync.js";

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
  const { registries } = services;
  const { trainer, algorithm, data } = config;

  const root = path.resolve(cwd, trainer.default_local_dir);
  const lock = await RunLock.acquire(root);
  cleanups.push(() => lock.release());

  const tokenizer = await openTokenizer(config, cwd);
  const train = await openDataset(options, tokenizer, "train");
  const validation = data.val_files.length > 0 ? await openDataset(options, tokenizer, "val") : null;
  const loader = createPromptLoader({
    dataset: train,
    batchSize: data.train_batch_size,
    shuffle: data.shuffle,
    seed: data.seed ?? Math.floor(Math.random() * 2 ** 31),
  });
  const totalSteps = trainer.total_training_steps ?? loader.stepsPerEpoch * trainer.total_epochs;

  const rewards = await createRewards(options, tokenizer, [train, ...(validation ? [validation] : [])]);
  cleanups.push(async () => rewards.dispose?.());

  const estimator = registries.advantageEstimators.require(algorithm.adv_estimator);
  const policyLoss = createPolicyLoss(options);

  const backend = config.actor_rollout_ref.actor.strategy;
  const model = modelSourceOf(config, cwd);
  const actor = await services.createEngine("language_model", backend, actorOptions(config, model, totalSteps));
  cleanups.push(() => actor.dispose());
  await actor.initialize({ signal });
  let reference: BaseEngine | null = null;
  if (algorithm.use_kl_in_reward || config.actor_rollout_ref.actor.use_kl_loss) {
    const strategy = config.actor_rollout_ref.ref.strategy;
    reference = await services.createEngine("language_model", strategy, referenceOptions(config, model));
    const engine = reference;
    cleanups.push(() => engine.dispose());
    await reference.initialize({ signal });
  }

  let built: SyncTrainer | null = null;
  const refill = async (count: number) => built?.refill(count);
  const sampling = await createSampling(options, { tokenizer, rewards, refill }, cleanups);

  const hooks = services.createHookDriver({ deadlineMs: trainer.hook_deadline_s * 1000 });
  const trackers = createTrackerSet(options.trackers);
  const parts: RunParts = {
    config,
    tokenizer,
    train,
    validation,
    loader,
    queue: sampling.queue,
    replay: sampling.replay,
    manager: sampling.manager,
    rewards,
    actor,
    reference,
    weights: naiveWeightSync({
      engine: actor,
      replicas: sampling.replicas,
      adapters: sampling.adapters,
    }),
    estimator,
    actorLoss: policyLoss,
    klController: createKlController({
      type: algorithm.kl_ctrl.type,
      klCoef: algorithm.kl_ctrl.kl_coef,
      targetKl: algorithm.kl_ctrl.target_kl,
      horizon: algorithm.kl_ctrl.horizon,
    }),
    fire: (name, context, work) => hooks.run(name, context, work),
    trackers,
    checkpoints: new CheckpointStore(root, {
      maxToKeep: trainer.max_actor_ckpt_to_keep,
      runId: `${trainer.project_name}/${trainer.experiment_name}/${trainer.seed}`,
    }),
    checkpointCallbacks: options.checkpointCallbacks,
    logger,
    dump: runDumps(config, tokenizer, cwd),
    dispose,
  };
  await parts.checkpoints.clean();
  built = new SyncTrainer(parts, { totalSteps, signal, display: options.display });
  return built;
}

function createPolicyLoss({ config, services }: TrainerOptions): AnyLoss {
  const { actor } = config.actor_rollout_ref;
  return actorLoss({
    policyLoss: services.registries.policyLosses.require(actor.policy_loss.loss_mode).create({
      clipRatioLow: actor.clip_ratio_low,
      clipRatioHigh: actor.clip_ratio_high,
      clipRatioC: actor.clip_ratio_c,
      lossAggMode: actor.loss_agg_mode,
      hasRolloutIsWeights: false,
      extra: { ...actor.policy_loss, tau_pos: actor.tau_pos, tau_neg: actor.tau_neg },
    }),
    lossAggMode: actor.loss_agg_mode,
    entropyCoeff: actor.entropy_coeff,
    calculateEntropy: actor.calculate_entropy,
    kl: actor.use_kl_loss ? { coef: actor.kl_loss_coef, type: actor.kl_loss_type } : null,
  });
}
