import { expect } from "chai";
import { mathDapoScorer } from "../../../../core/reward/scorers/index.js";
import { scoreWith } from "./score-with.js";

describe("math_dapo scorer", () => {
  it("pays 1 or -1 for the last answer line", async () => {
    expect(await scoreWith(mathDapoScorer, "Answer: 3\nAnswer: 8", "8")).to.deep.include({
      score: 1,
      acc: 1,
      pred: "8",
    });
    expect(await scoreWith(mathDapoScorer, "Answer: 8\nAnswer: 3", "8")).to.deep.include({
      score: -1,
      acc: 0,
      pred: "3",
    });
    expect(await scoreWith(mathDapoScorer, "I do not know", "8")).to.deep.include({
      score: -1,
      pred: "[INVALID]",
      format: 0,
    });
  });

  const right: [string, string, string][] = [
    ["a full stop", "Answer: 5.", "5"],
    ["emphasis", "**Answer:** 5", "5"],
    ["emphasis around the line", "**Answer: 5**", "5"],
    ["the answer on the next line", "Answer:\n\n5", "5"],
    ["a box in the line", "Answer: $\\boxed{5}$", "5"],
    ["long text behind it", `Answer: 5\n${"so it is. ".repeat(60)}`, "5"],
    ["a box alone, anywhere", `\\boxed{5} ${"so it is. ".repeat(60)}`, "5"],
    ["other notation", "Answer: 0.5", "\\frac{1}{2}"],
    ["a unit", "Answer: 12 kilometers", "12"],
  ];
  for (const [name, solution, gold] of right) {
    it(`accepts ${name}`, async () => expect((await scoreWith(mathDapoScorer, solution, gold))?.score).to.equal(1));
  }

  it("takes an answer line as final, also before a box", async () => {
    expect((await scoreWith(mathDapoScorer, "Answer: 41\nor \\boxed{42}", "42"))?.score).to.equal(-1);
  });

  it("looks at the box only when asked to", async () => {
    const kwargs = { strict_box_verify: true };
    expect((await scoreWith(mathDapoScorer, "Answer: 41\nor \\boxed{42}", "42", { kwargs }))?.score).to.equal(1);
    expect((await scoreWith(mathDapoScorer, "Answer: 42", "42", { kwargs }))?.score).to.equal(-1);
  });

  it("abstains when the gold answer cannot be read", async () => {
    expect(await scoreWith(mathDapoScorer, "Answer: 42", "\\frac{")).to.equal(null);
  });

  it("compares as verl does when asked to", async () => {
    const kwargs = { compat: "verl" };
    expect(await scoreWith(mathDapoScorer, "answer : 5.", "5", { kwargs })).to.deep.equal({
      score: -1,
      acc: false,
      pred: "5.",
    });
    expect(await scoreWith(mathDapoScorer, "Answer: ①,②", "①②", { kwargs })).to.deep.include({ acc: true, pred: "①②" });
    expect(await scoreWith(mathDapoScorer, "Answer: a b", "b", { kwargs })).to.deep.equal({
      score: 1,
      acc: true,
      pred: "b",
    });
    const strict = { compat: "verl", strict_box_verify: true };
    expect(await scoreWith(mathDapoScorer, "Answer: 5", "5", { kwargs: strict })).to.deep.equal({
      score: -1,
      acc: false,
      pred: null,
    });
  });
});
