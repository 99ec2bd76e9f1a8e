import { expect } from "chai";
import { multipleChoiceScorer } from "../../../../core/reward/scorers/index.js";
import { scoreWith } from "./score-with.js";

const pred = async (solution: string, options = {}) =>
  (await scoreWith(multipleChoiceScorer, solution, "B", options))?.pred;

describe("multiple_choice scorer", () => {
  const named = [
    "\\boxed{B}",
    "\\boxed{\\text{(B)}}",
    "Answer: B",
    "**Answer: (B)**",
    "The answer is (B).",
    "the answer is B) Paris",
    "Answer: option b",
    "Answer: B. Paris",
    "A? No. Answer:\nB",
  ];
  for (const solution of named) {
    it(`reads ${JSON.stringify(solution)}`, async () => expect(await pred(solution)).to.equal("B"));
  }

  const none = [
    "B",
    "Answer: B or C",
    "Answer: (A), (B)",
    "\\boxed{A, B, C, D}",
    "Answer: a dog",
    "Answer: Both",
    "Answer: ",
    "Answer: 12",
  ];
  for (const solution of none) {
    it(`finds no choice in ${JSON.stringify(solution)}`, async () =>
      expect(await pred(solution)).to.equal("[INVALID]"));
  }

  it("takes the text of a choice for its letter", async () => {
    const extraInfo = { choices: ["London", "Paris", "Rome"] };
    expect(await pred("Answer: Paris", { extraInfo })).to.equal("B");
    expect(await pred("Answer: D", { extraInfo })).to.equal("[INVALID]");
    const labelled = { choices: { label: ["1", "2"], text: ["x", "y"] } };
    expect(await scoreWith(multipleChoiceScorer, "Answer: y", "2", { extraInfo: labelled })).to.include({
      score: 1,
      pred: "2",
    });
  });

  it("takes a letter alone in the last line when the method is flexible", async () => {
    expect(await pred("So it must be\nB", { kwargs: { method: "flexible" } })).to.equal("B");
  });

  it("reads gold answers that are letters, labels or positions, and abstains otherwise", async () => {
    const score = async (gold: string | number | null) =>
      (await scoreWith(multipleChoiceScorer, "Answer: B", gold))?.score ?? null;
    expect(await Promise.all(["B", "(B)", 1, "A", "Paris", "A or B", null, -1].map(score))).to.deep.equal([
      1,
      1,
      1,
      0,
      null,
      null,
      null,
      null,
    ]);
  });
});
