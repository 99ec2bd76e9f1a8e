import { definePlugin } from "../../core/plugin.js";
import { fakeEngineFactory } from "../engine/index.js";
import { fakeRolloutFactory, fakeServerAdapterFactory } from "../rollout/index.js";

/**
 * The fake engine and the fake rollout, both named `fake`, for whole runs without a model: data, rewards, agents, hooks and
 * checkpoints are real, and a table of `model.config.vocab_size` squared numbers takes the model's place. A file of one line
 * loads it: `export { fakesPlugin as default } from "verl-ts/testing";`.
 */
export const fakesPlugin = definePlugin({
  name: "verl-ts/fakes",
  apiVersion: "^1.0.0",
  provides: ["engine", "rollout", "serverAdapter"],
  register(host) {
    host.engines.register(fakeEngineFactory("language_model"));
    host.engines.register(fakeEngineFactory("value_model"));
    host.rollouts.register(fakeRolloutFactory);
    host.serverAdapters.register(fakeServerAdapterFactory);
  },
});
