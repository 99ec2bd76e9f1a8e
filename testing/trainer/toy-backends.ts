import { definePlugin } from "../../core/plugin.js";
import { fakeEngineFactory } from "../engine/fake-engine.js";
import { fakeRolloutFactory, fakeServerAdapterFactory } from "../rollout/fake-rollout.js";

/** The bigram engine and its server under the name `fake`: a run over them learns, takes milliseconds and needs no dependency. */
export const toyBackends = definePlugin({
  name: "verl-ts/toy-backends",
  apiVersion: "^1.0.0",
  provides: ["engine", "rollout", "serverAdapter"],
  register(host) {
    host.engines.register(fakeEngineFactory());
    host.engines.register(fakeEngineFactory("value_model"));
    host.rollouts.register(fakeRolloutFactory);
    host.serverAdapters.register(fakeServerAdapterFactory);
  },
});
