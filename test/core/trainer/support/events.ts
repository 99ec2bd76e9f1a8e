import type { EngineFactory, Hooks, RolloutFactory, ServerAdapterFactory } from "../../../../core/plugin.js";
import { HOOK_NAMES } from "../../../../core/plugin.js";
import { createFakeEngine } from "../../../../testing/engine/index.js";
import { fakeRolloutFactory, fakeServerAdapterFactory } from "../../../../testing/rollout/index.js";
import { VOCAB } from "./toy-task.js";

/** A hook set that notes every call, e.g. `onStepEnd.pre 2` (the step). */
export function recordingHooks(events: string[], name = "recorder"): Hooks {
  const note = (hook: string, slot: string) => (context: { readonly globalStep: number }) => {
    events.push(`${hook}.${slot} ${context.globalStep}`);
  };
  const slots = HOOK_NAMES.map((hook) => [hook, { pre: note(hook, "pre"), post: note(hook, "post") }]);
  return { name, ...Object.fromEntries(slots) };
}

/** The fake engine under the name `noted`: `forward`, `backward`, `step`, `save` and `restore` are noted. */
export function recordingEngine(events: string[]): EngineFactory {
  return {
    modelTypes: ["language_model"],
    backends: ["noted"],
    devices: ["cpu"],
    vendors: null,
    create: async ({ optimizer, topology }) =>
      createFakeEngine({
        optimizer,
        topology,
        vocabSize: VOCAB,
        maxPositions: 16,
        onCall: (call) => void events.push(call),
      }),
  };
}

/** The fake rollout under the name `noted`: `sleep`, `wakeUp` and `weights VERSION` are noted. */
export function recordingRollout(events: string[]): { rollout: RolloutFactory; adapter: ServerAdapterFactory } {
  return {
    rollout: {
      ...fakeRolloutFactory,
      name: "noted",
      async createReplica(options) {
        const replica = await fakeRolloutFactory.createReplica(options);
        const { sleep, wakeUp } = replica;
        replica.sleep = (level) => {
          events.push("sleep");
          return sleep.call(replica, level);
        };
        replica.wakeUp = (tags) => {
          if (!tags) events.push("wakeUp");
          return wakeUp.call(replica, tags);
        };
        return replica;
      },
    },
    adapter: {
      name: "noted",
      async createAdapter(options) {
        const adapter = await fakeServerAdapterFactory.createAdapter(options);
        return {
          ...adapter,
          async updateWeights(weights, update) {
            await adapter.updateWeights(weights, update);
            events.push(`weights ${update.version}`);
          },
        };
      },
    },
  };
}
