import { composeEngine, definePlugin, type EngineOptions } from "../../../../core/plugin.js";
import { createFakeBackend } from "../../../../testing/engine/index.js";

/** What goes wrong, in the section `engine_kwargs.faulty`: at the `at`-th call of that name (from 1) on that rank. */
export interface Fault {
  readonly rank: number;
  readonly call: string;
  readonly at: number;
  readonly does: "kill" | "exit" | "throw" | "hang";
}

function faultyBackend({ model, topology, extra }: EngineOptions) {
  const { rank, call, at, does } = extra as Partial<Fault>;
  const config = "config" in model ? model.config : {};
  let calls = 0;
  return createFakeBackend({
    vocabSize: config.vocab_size as number,
    maxPositions: config.max_position_embeddings as number,
    onCall(name) {
      if (topology.rank !== rank || name !== call || ++calls !== at) return;
      if (does === "throw") throw new Error("the table is on fire");
      if (does === "exit") process.exit(7);
      if (does === "hang") for (;;);
      process.kill(process.pid, "SIGKILL");
    },
  });
}

/** The bigram engine with a fault, under the name `faulty`; under `lonely` the engine without further ranks. */
export const faultyPlugin = definePlugin({
  name: "faulty-engine",
  apiVersion: "^1.0.0",
  provides: ["engine"],
  register(host) {
    const shape = { modelTypes: ["language_model"], devices: ["cpu"], vendors: null } as const;
    const create = async (options: EngineOptions) => composeEngine(faultyBackend(options), options);
    host.engines.register({ ...shape, backends: ["faulty"], create, createBackend: faultyBackend });
    host.engines.register({ ...shape, backends: ["lonely"], create });
  },
});
