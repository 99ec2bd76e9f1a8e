import { composeServerAdapter, findProblems, type PluginHost } from "verl-ts/plugin";
import type { ModelShape } from "./model-shape.js";

/** Named by `verl.register` in package.json. Adds the rollout `plainjs`; nothing is loaded before a run chooses it. */
export function register(host: PluginHost): void {
  host.rollouts.register({
    name: "plainjs",
    /** For `--dry-run` and `config check`: what would keep a replica from starting, before one is made. */
    async check({ model }) {
      const { CAPABILITIES } = await import("./plain-backend.js");
      const { readModelShape } = await import("./model-shape.js");
      const found: { shape: ModelShape | null } = { shape: null };
      const read = async () => {
        found.shape = await readModelShape(model);
      };
      const findings = await findProblems([["model", read]]);
      const { shape } = found;
      return {
        capabilities: CAPABILITIES,
        model: shape && { vocabSize: shape.vocabSize, maxPositions: shape.maxPositions },
        findings,
      };
    },
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
