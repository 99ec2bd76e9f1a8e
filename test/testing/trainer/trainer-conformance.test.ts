import { expect } from "chai";
import { BUILTINS } from "../../../cli/builtins.js";
import { createHost } from "../../../core/index.js";
import { definePlugin, SyncReplayBuffer, type Trainer } from "../../../core/plugin.js";
import { runConformance, type TrainerUnderTest, trainerConformance } from "../../../testing/index.js";
import { failing } from "../support.js";

const sync: TrainerUnderTest = {
  mode: "sync",
  createHost: (options) => createHost({ ...options, builtins: BUILTINS }),
  plugins: [],
};

describe("trainer conformance", () => {
  runConformance("the synchronous trainer", trainerConformance(sync), { describe, it });

  /** The synchronous trainer under another mode, with members of its own. */
  const changed = (change: (trainer: Trainer) => Partial<Trainer>): TrainerUnderTest => ({
    ...sync,
    mode: "changed",
    createHost: (options) =>
      createHost({
        ...options,
        builtins: [
          ...BUILTINS,
          definePlugin({
            name: "changed",
            apiVersion: "^1.0.0",
            provides: ["trainer", "replayBuffer"],
            register(host) {
              host.trainers.register({
                mode: "changed",
                async create(trainerOptions) {
                  const { registries } = trainerOptions.services;
                  const inner = await registries.trainers.require("sync").create(trainerOptions);
                  const own = {
                    init: () => inner.init(),
                    fit: () => inner.fit(),
                    stop: (why: string) => inner.stop(why),
                    dispose: () => inner.dispose(),
                  };
                  return Object.assign(own, change(inner));
                },
              });
              host.replayBuffers.register({
                name: "changed",
                create: (bufferOptions) => new SyncReplayBuffer(bufferOptions),
              });
            },
          }),
        ],
      }),
  });

  it("passes one that hands everything on", async () => {
    expect(await failing(trainerConformance(changed(() => ({}))))).to.deep.equal([]);
  });

  it("catches a trainer that does not stop, and one that swallows errors", async () => {
    expect(await failing(trainerConformance(changed(() => ({ stop() {} }))))).to.deep.equal([
      "stops after the step at hand when it is asked to",
    ]);
    const quiet = changed((inner) => ({
      fit: () =>
        inner.fit().catch(() => ({ reason: "completed" as const, globalStep: 3, metrics: {}, validations: [] })),
    }));
    expect(await failing(trainerConformance(quiet))).to.deep.equal([
      "gives up when the run is aborted, and trackers hear of it",
      "passes on what a tracker throws",
    ]);
  });
});
