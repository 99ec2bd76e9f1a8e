import { type ReplayBufferFactory, SyncReplayBuffer, type TrainerFactory } from "verl-ts/plugin";

/**
 * Hands everything to the synchronous trainer. One of your own implements `Trainer`: `init` loads, `fit` goes through the steps and tells
 * the trackers, `stop` ends it after the step at hand. `options.services` makes engines and rollouts, and has every registry.
 */
export const trainer: TrainerFactory = {
  mode: "__SHORT__",
  create: (options) => options.services.registries.trainers.require("sync").create(options),
};

/** Decides which of the prompts that have ended are trained on next; found by the trainer's mode. */
export const replayBuffer: ReplayBufferFactory = {
  name: "__SHORT__",
  create: (options) => new SyncReplayBuffer(options),
};
