import path from "node:path";
import type { PromptTask } from "../../agent/agent-loop.js";
import type { BaseEngine } from "../../engine/index.js";
import type { Tracer } from "../../tracing/index.js";
import { promptTag } from "../../transfer/index.js";
import { ACTOR_FOLDER } from "../checkpoint/trainer-state.js";
import { checkPlan, requirePlan } from "../plan/plan-check.js";
import type { RunScope } from "../run-scope.js";
import type { LateRewards } from "../sampling/late-rewards.js";
import { readRows } from "../sampling/sampled-group.js";
import { naiveWeightSync } from "../sampling/weight-sync.js";
import type { TrainingRow } from "../step/training-row.js";
import { requireMultiModal } from "./fitness.js";
import { openInputs, type RunInputs } from "./input-setup.js";
import { createPlannedEngine, planEngines } from "./run-engines.js";
import { createSampling, type SamplingParts } from "./sampling-setup.js";
import { createCommandTracer, type TracedCommand } from "./tracing-setup.js";

/** Everything that samples in a run, with the actor whose weights it samples with, and no trainer around it. */
export interface SamplingRig extends SamplingParts, RunInputs {
  readonly actor: BaseEngine;
  readonly vocabSize: number;
  readonly lateRewards: LateRewards | null;
  readonly tracer: Tracer;
}

export interface RigWeights {
  /** A checkpoint; null: what a run begins with. */
  readonly checkpoint: string | null;
  /** Under which the servers get them. */
  readonly version: number;
  /** What chat templates take for the time. */
  readonly startedAt: Date;
}

export async function createSamplingRig(
  scope: RunScope,
  command: TracedCommand,
  { checkpoint, version, startedAt }: RigWeights,
  cleanups: (() => Promise<void>)[],
): Promise<SamplingRig> {
  const { signal, services } = scope;
  const checked = await checkPlan(scope, {
    algorithm: null,
    totalSteps: 0,
    owners: ["actor", "reward model", "rollout"],
  });
  requirePlan(checked, scope.logger);
  const inputs = await openInputs(scope, cleanups, () => startedAt);
  const { actor: plan } = planEngines(scope, 0);
  const forwardOnly = { ...plan, options: { ...plan.options, optimizer: null } };
  const actor = await createPlannedEngine(forwardOnly, { services, ranks: null }, cleanups);
  await actor.initialize({ signal });
  if (checkpoint !== null) await actor.loadCheckpoint(path.join(checkpoint, ACTOR_FOLDER), { contents: ["model"] });
  const { rewards } = inputs;
  requireMultiModal(actor, inputs.shown, "actor_rollout_ref.actor.strategy");
  await rewards.start({ signal });
  const tracer = await createCommandTracer(scope, command);
  cleanups.push(() => tracer.finish());
  rewards.trace(tracer);
  const { vocabSize } = actor.modelInfo();
  const needs = { ...inputs, tracer, refill: null, vocabSize, now: startedAt };
  const sampling = await createSampling(scope, needs, cleanups);
  cleanups.push(() => sampling.manager.cancel(new Error("nothing more is sampled")).catch(() => {}));
  const { replicas, adapters } = sampling;
  await naiveWeightSync({ engine: actor, replicas, adapters }).push(version, signal);
  return { ...inputs, ...sampling, actor, vocabSize, tracer, lateRewards: rewards.late(null) };
}

/** Sample one prompt as a run would have: every session of it. */
export async function sampleTask(
  { queue, manager, replay, lateRewards, vocabSize, media }: SamplingRig,
  task: PromptTask,
  { config, signal }: RunScope,
  place: { readonly partition: "train" | "val"; readonly globalStep: number },
): Promise<TrainingRow[]> {
  const { partition, globalStep } = place;
  const { uid, draw, attempt } = task;
  await queue.putBatch(partition, [{ key: uid, tag: promptTag({ globalSteps: globalStep, draw, attempt }) }]);
  const watched = manager.failed ? AbortSignal.any([signal, manager.failed]) : signal;
  await manager.submit([task], { partition, globalStep, signal: watched });
  const sampled = await replay.sample({
    globalStep,
    partition,
    groups: 1,
    deadlineMs: config.trainer.sample_deadline_s * 1000,
    signal: watched,
  });
  watched.throwIfAborted();
  return readRows({ queue, lateRewards, vocabSize, media }, sampled, partition);
}
