import { expect } from "chai";
import { agentLoopFromExport } from "../../../core/agent/index.js";
import { GuessingAgent } from "../../../examples/guessing-game/agent.js";
import { agentLoopConformance, runConformance } from "../../../testing/index.js";
import { runExample } from "../run-example.js";

runConformance(
  "examples/guessing-game/agent",
  agentLoopConformance({
    factory: agentLoopFromExport("guessing", GuessingAgent),
    row: { reward_model: { ground_truth: "h" } },
    answers: ["m", "g", "h"],
  }),
  { describe, it },
);

describe("examples/guessing-game", () => {
  it("trains on games whose score is the environment's", async function () {
    this.timeout(180_000);
    await runExample("guessing-game", ["--items", "4"], async ({ result, steps, read }) => {
      expect(result).to.include.keys("start", "end", "seconds", "report", "curve", "imitated", "best");
      expect(result.best).to.equal(1);
      expect(await steps("grpo")).to.have.length(2);
      for (const step of await steps("grpo")) expect(step["critic/score/mean"]).to.be.within(-1.4, 0.9);
      expect(await read("curve.svg")).to.include("<svg");
    });
  });
});
