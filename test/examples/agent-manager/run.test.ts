import { expect } from "chai";
import { runExample } from "../run-example.js";

describe("examples/agent-manager", () => {
  it("trains on the episodes of another framework", async function () {
    this.timeout(180_000);
    await runExample("agent-manager", ["--items", "4"], async ({ result, steps, read }) => {
      expect(result).to.include.keys("start", "end", "seconds", "report", "curve");
      expect(await steps("grpo")).to.have.length(2);
      for (const step of await steps("grpo")) {
        expect(step["critic/score/mean"]).to.be.within(0, 1);
        expect(step["actor/grad_norm"]).to.be.a("number");
      }
      expect(await read("curve.svg")).to.include("<svg");
    });
  });
});
