import { expect } from "chai";
import type { Hooks } from "../../../core/plugin.js";
import { hooksConformance, recordingHooks, runConformance } from "../../../testing/index.js";
import { failing } from "../support.js";

describe("hooks conformance", () => {
  runConformance("hooks that take notes", hooksConformance({ make: () => recordingHooks().hooks }), { describe, it });

  const cases = (hooks: Omit<Hooks, "name">) => failing(hooksConformance({ make: () => ({ name: "h", ...hooks }) }));

  it("goes through a run in its order", async () => {
    const { hooks, calls } = recordingHooks();
    const [, run] = hooksConformance({ make: () => hooks });
    await run.run();
    const posts = calls.filter(({ slot }) => slot === "post").map(({ hook }) => hook);
    const step = ["onStepBegin", "onSampleBegin", "onSampleEnd", "onStepEnd"];
    const before = ["onInitEnd", "onValidateBegin", "onValidateEnd", "onTrainBegin"];
    expect(posts).to.deep.equal([...before, ...step, ...step, ...step, "onTrainEnd"]);
  });

  it("catches hooks that need scores", async () => {
    const onSampleEnd: Hooks["onSampleEnd"] = ({ groups }) => void groups.map(({ scores }) => scores[0]!.toFixed(1));
    expect(await cases({ onSampleEnd })).to.deep.equal([
      "bears groups without scores, groups whose sessions all failed, and steps without groups",
    ]);
  });

  it("catches metrics that are there already, and ones that are none", async () => {
    expect(await cases({ onStepEnd: ({ addMetric }) => addMetric("critic/rewards/mean", 1) })).to.have.length(5);
    const none = {
      onStepEnd: ({ addMetric }: { addMetric(name: string, value: number): void }) => addMetric("x", "1" as never),
    };
    expect(await cases(none)).to.have.length(5);
  });

  it("catches groups that there are not", async () => {
    expect(await cases({ onSampleEnd: ({ dropGroup }) => dropGroup("nobody") })).not.to.have.length(0);
  });

  it("catches a hook that does not end within its own deadline", async () => {
    const stuck = { deadlineMs: 5, onInitEnd: () => new Promise<void>(() => {}) };
    expect(await cases(stuck)).to.have.length(5);
  });
});
