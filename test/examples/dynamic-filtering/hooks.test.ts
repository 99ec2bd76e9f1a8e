import { expect } from "chai";
import type { SampleBeginContext, SampleEndContext, StepEndContext } from "../../../core/plugin.js";
import { signalHooks } from "../../../examples/dynamic-filtering/hooks.js";

const run = {
  globalStep: 1,
  totalSteps: 2,
  epoch: 0,
  weightVersion: 1,
  config: null,
  signal: new AbortController().signal,
  requestStop() {},
};

/** Plays the trainer: groups with these scores end in one round after the other. */
function step(hooks: ReturnType<typeof signalHooks>, groups: number, rounds: readonly (readonly number[][])[]) {
  const dropped: string[] = [];
  const metrics: Record<string, number> = {};
  let requested = 0;
  const addMetric = (name: string, value: number) => {
    metrics[name] = value;
  };
  const requestPrompts = (count: number) => {
    requested += count;
  };
  hooks.onSampleBegin({ ...run, addMetric, groups, requestPrompts } satisfies SampleBeginContext);
  for (const [r, round] of rounds.entries()) {
    hooks.onSampleEnd({
      ...run,
      addMetric,
      groups: round.map((scores, i) => ({ uid: `${r}-${i}`, dataSource: "x", scores, failedSessions: 0, extra: [] })),
      dropGroup: (uid) => void dropped.push(uid),
    } satisfies SampleEndContext);
  }
  hooks.onStepEnd({ ...run, addMetric, metrics: {} } satisfies StepEndContext);
  return { dropped, requested, metrics };
}

describe("examples/dynamic-filtering/hooks", () => {
  it("drops groups whose samples all have the same score", () => {
    const { dropped, metrics } = step(signalHooks(), 2, [
      [
        [1, 0],
        [1, 1],
      ],
      [[0, 0]],
      [[0, 1]],
    ]);
    expect(dropped).to.deep.equal(["0-1", "1-0"]);
    expect(metrics).to.deep.equal({ "signal/groups_sampled": 4, "signal/share_with_signal": 0.5 });
  });

  it("asks for as many more prompts as the steps before lost", () => {
    const hooks = signalHooks();
    expect(step(hooks, 4, [Array(4).fill([1, 1])]).requested).to.equal(0);
    // The running share is 0.7 now.
    expect(step(hooks, 4, [Array(4).fill([0, 1])]).requested).to.equal(Math.ceil(4 / 0.7) - 4);
  });

  it("keeps groups without signal once six times the step's groups were sampled", () => {
    const rounds = Array.from({ length: 7 }, () => [
      [1, 1],
      [1, 1],
    ]);
    const { dropped } = step(signalHooks(), 2, rounds);
    expect(dropped).to.have.length(10);
  });
});
