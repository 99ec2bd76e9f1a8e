import { definePlugin } from "../../../../core/plugin.js";
import { fakeProcessorFactory } from "../../../../testing/data/index.js";
import { fakeEngineFactory } from "../../../../testing/engine/index.js";
import { fakeRolloutFactory, fakeServerAdapterFactory } from "../../../../testing/rollout/index.js";

/** The bigram engine and its server, as a plugin that a child process can load by its path. */
export const fakePlugin = definePlugin({
  name: "toy-backends",
  apiVersion: "^1.0.0",
  provides: ["engine", "rollout", "serverAdapter", "processor"],
  register(host) {
    host.engines.register(fakeEngineFactory());
    host.engines.register(fakeEngineFactory("value_model"));
    host.rollouts.register(fakeRolloutFactory);
    host.serverAdapters.register(fakeServerAdapterFactory);
    host.processors.register(fakeProcessorFactory);
  },
});
