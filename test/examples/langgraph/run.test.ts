import { expect } from "chai";
import { runExample } from "../run-example.js";

describe("examples/langgraph", () => {
  it("trains a graph's agent on expressions of the length that was asked for", async function () {
    this.timeout(180_000);
    const args = ["--items", "4", "--min-terms", "3", "--max-terms", "3"];
    await runExample("langgraph", args, async ({ result, steps, read }) => {
      expect(result).to.include.keys("start", "end", "usedToolAtStart", "usedToolAtEnd", "turns", "curve");
      expect(await steps("grpo")).to.have.length(2);
      const rows = (await read("train.jsonl"))
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      for (const { prompt } of rows) expect(prompt[0].content).to.match(/^\d([-+@]\d){2}$/);
    });
  });
});
