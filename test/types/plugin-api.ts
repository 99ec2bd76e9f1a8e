/**
 * The plugin API as its authors' compilers see it. Nothing here runs: it is right when it compiles, and every
 * `@ts-expect-error` is a mistake that the types must catch.
 */
import {
  aggLoss,
  defineErrors,
  definePlugin,
  type HookContexts,
  type Hooks,
  type MergedSample,
  maskedMean,
  mergeTrajectories,
  type Platform,
  type PluginHost,
  type PolicyLossFactory,
  policyInputs,
  policyLoss,
  type Registrar,
  type TrackerFactory,
} from "../../core/plugin.js";

export const complete = definePlugin({
  name: "complete",
  apiVersion: "^1.0.0",
  provides: ["hooks", "tracker"],
  processes: ["driver", "rollout"],
  async register(host) {
    const platform: Platform = host.platform();
    host.logger.info(`${host.apiVersion} ${host.process.role} ${platform.vendorName}`);
    host.onDispose(() => {});
    host.onDispose(async () => {});
    const signal: AbortSignal = host.signal;
    host.hooks.register({ name: "h", onStepEnd: ({ metrics, addMetric }) => addMetric("copy", metrics["actor/loss"]) });
    host.hooks.register({ name: "h", onStepEnd() {} }, { override: true });
    const trackers: Registrar<TrackerFactory> = host.trackers;
    return void [signal, trackers];
  },
});

export const hooks: Hooks = {
  name: "slots",
  deadlineMs: 1000,
  onSampleBegin: { pre: ({ groups, requestPrompts }) => requestPrompts(groups), post: async () => {} },
  onSampleEnd({ groups, dropGroup }) {
    for (const { uid, scores } of groups) if (scores.length === 0) dropGroup(uid, { refill: false, reason: "empty" });
  },
};

export const loss: PolicyLossFactory = {
  name: "plain",
  create: (config) =>
    policyLoss("plain", config, (g) => {
      const { advantages, difference } = policyInputs(g);
      const cost = g.neg(g.mul(advantages, g.exp(difference)));
      const kl = { value: maskedMean(g, g.neg(difference)), reduction: "mean" as const };
      return { loss: aggLoss(g, cost, config.lossAggMode), metrics: { "actor/ppo_kl": kl } };
    }),
};

export const samples: MergedSample[] = mergeTrajectories([{ prompt: [1], completion: [2], logProbs: [-1] }]);

export const errors = defineErrors({ VERL_ACME_DRIVER: { summary: "The driver is too old." } });
export const raised = errors.VERL_ACME_DRIVER({ what: "Driver 1 is older than 2." });

// A name, the API version and what it provides are not optional.
// @ts-expect-error
definePlugin({ name: "p", apiVersion: "^1.0.0", register() {} });
// @ts-expect-error
definePlugin({ apiVersion: "^1.0.0", provides: [], register() {} });
// @ts-expect-error
definePlugin({ name: "p", provides: [], register() {} });

definePlugin({
  name: "p",
  apiVersion: "^1.0.0",
  provides: ["platform"],
  // A role must be one of the roles of a run.
  // @ts-expect-error
  processes: ["cook"],
  register() {},
});

export function mistakes(host: PluginHost, step: HookContexts["onStepEnd"]): void {
  // A hook's name must be one of the hooks.
  // @ts-expect-error
  host.hooks.register({ name: "h", onStepEnds() {} });
  // Slots are pre and post; the trainer's is the host's.
  // @ts-expect-error
  host.hooks.register({ name: "h", onStepEnd: { trainer() {} } });
  // A tracker needs its factory.
  // @ts-expect-error
  host.trackers.register({ name: "t" });
  // Registrars only write.
  // @ts-expect-error
  host.trackers.get("t");
  // There is no such kind.
  // @ts-expect-error
  host.motors.register({});
  // A code starts with VERL_.
  // @ts-expect-error
  defineErrors({ ACME_DRIVER: { summary: "" } });
  // What an error says is not optional.
  // @ts-expect-error
  errors.VERL_ACME_DRIVER({});
  // Only declared codes can be raised.
  // @ts-expect-error
  errors.VERL_ACME_OTHER({ what: "" });
  // Metrics are read through the context and added with a method.
  // @ts-expect-error
  step.metrics["actor/loss"] = 1;
  // Filtering belongs to onSampleEnd.
  // @ts-expect-error
  step.dropGroup("uid");
}
