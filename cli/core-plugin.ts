import { agentLoopManager, builtinAgentLoops, builtinToolParsers } from "../core/agent/index.js";
import { builtinAdvantageEstimators, builtinPolicyLosses } from "../core/algorithms/index.js";
import { definePlugin } from "../core/plugin.js";
import {
  batchRewardManager,
  builtinScorers,
  dapoRewardManager,
  engineRewardModel,
  gdpoRewardManager,
  hybridRewardManager,
  naiveRewardManager,
  rateLimitedRewardManager,
  remoteRewardManager,
} from "../core/reward/index.js";
import { inProcessQueueFactory, syncReplayBufferFactory } from "../core/transfer/index.js";

/** What the core implements itself, registered like anybody's plugin so that anybody can replace it. */
export const corePlugin = definePlugin({
  name: "verl-ts/core",
  apiVersion: "^1.0.0",
  provides: [
    "agentLoop",
    "agentLoopManager",
    "toolParser",
    "advantageEstimator",
    "policyLoss",
    "transferQueue",
    "replayBuffer",
    "rewardManager",
    "rewardModel",
    "scorer",
    "dataset",
    "sampler",
    "trainer",
  ],
  register(host) {
    for (const estimator of builtinAdvantageEstimators) host.advantageEstimators.register(estimator);
    for (const loss of builtinPolicyLosses) host.policyLosses.register(loss);
    host.transferQueues.register(inProcessQueueFactory);
    host.replayBuffers.register(syncReplayBufferFactory);
    for (const manager of [
      naiveRewardManager,
      dapoRewardManager,
      gdpoRewardManager,
      rateLimitedRewardManager,
      batchRewardManager,
      remoteRewardManager,
      hybridRewardManager,
    ])
      host.rewardManagers.register(manager);
    host.rewardModels.register(engineRewardModel);
    for (const scorer of builtinScorers) host.scorers.register(scorer);
    for (const loop of builtinAgentLoops) host.agentLoops.register(loop);
    host.agentLoopManagers.register(agentLoopManager);
    for (const parser of builtinToolParsers) host.toolParsers.register(parser);
    host.datasets.register({
      name: "rlhf",
      create: async (options) => (await import("../core/data/index.js")).rlhfDatasetFactory.create(options),
    });
    for (const [index, name] of ["random", "sequential"].entries())
      host.samplers.register({
        name,
        create: async (options) => (await import("../core/data/index.js")).builtinSamplers[index].create(options),
      });
    host.trainers.register({
      mode: "sync",
      create: async (options) => (await import("../core/trainer/index.js")).createSyncTrainer(options),
    });
  },
});
