import { composeServerAdapter, type PluginHost } from "verl-ts/plugin";

/** Named by `verl.register` in package.json. Adds the rollout `plainjs`; nothing is loaded before a run chooses it. */
export function register(host: PluginHost): void {
  host.rollouts.register({
    name: "plainjs",
    async createReplica(options) {
      const { createPlainReplica } = await import("./plain-backend.js");
      return createPlainReplica(options);
    },
  });
  host.serverAdapters.register({
    name: "plainjs",
    // The trainer pushes weights in the same process; composed replicas know how to take them.
    createAdapter: ({ replica }) => composeServerAdapter(replica),
  });
}
