import { expect } from "chai";
import { geometry3kScorer, mathScorer, numinaScorer } from "../../../../core/reward/scorers/index.js";
import { scoreWith } from "./score-with.js";

describe("math scorer", () => {
  it("compares the last box by value", async () => {
    expect(await scoreWith(mathScorer, "so \\boxed{3} no, $\\boxed{\\frac{2}{4}}$.", "0.5")).to.deep.equal({
      score: 1,
      acc: 1,
      pred: "1/2",
      format: 1,
      answer: 1,
    });
    expect((await scoreWith(mathScorer, "\\boxed{1} no, \\boxed{2}", "1"))?.score).to.equal(0);
  });

  it("reads nested braces, escaped braces, framed boxes and boxes without braces", async () => {
    const solutions: [string, string][] = [
      ["\\boxed{\\frac{1}{\\sqrt{2}}}", "\\frac{\\sqrt2}{2}"],
      ["\\boxed{\\left\\{1,2\\right\\}}", "\\{2,1\\}"],
      ["\\boxed{\\boxed{5}}", "5"],
      ["\\fbox{3}", "3"],
      ["$\\boxed 7$ done", "7"],
      ["\\boxed {8}", "8"],
    ];
    for (const [solution, gold] of solutions) {
      expect((await scoreWith(mathScorer, solution, gold))?.score, solution).to.equal(1);
    }
  });

  it("takes boxes side by side for one answer, so that none can be tried out", async () => {
    expect((await scoreWith(mathScorer, "$\\boxed{2}$ and $\\boxed{3}$", "2, 3"))?.score).to.equal(1);
    expect(
      (await scoreWith(mathScorer, "\\boxed{(2,2)} \\quad \\text{and} \\quad \\boxed{(6,2)}", "(6,2),(2,2)"))?.score,
    ).to.equal(1);
    expect((await scoreWith(mathScorer, "\\boxed{4} or \\boxed{5}", "5"))?.score).to.equal(0);
  });

  it("finds no answer in a box that was cut off", async () => {
    expect(await scoreWith(mathScorer, "\\boxed{4} so \\boxed{4", "4")).to.include({
      score: 0,
      format: 0,
      pred: "[INVALID]",
    });
  });

  it("accepts a stated answer when the method is flexible", async () => {
    const solution = "The final answer is $\\frac{3}{4}$. I hope it is correct.";
    expect(await scoreWith(mathScorer, solution, "0.75")).to.include({ score: 0, format: 0, answer: 1 });
    expect(await scoreWith(mathScorer, solution, "0.75", { kwargs: { method: "flexible" } })).to.include({
      score: 1,
      acc: 1,
    });
    expect(await scoreWith(numinaScorer, solution, "0.75")).to.include({ score: 1, acc: 1 });
    expect(await scoreWith(numinaScorer, "Answer: 7 \\boxed{8}", "8")).to.include({ score: 1 });
  });

  it("pays the configured scores", async () => {
    const kwargs = { score: 2, format_score: 0.1 };
    expect((await scoreWith(mathScorer, "\\boxed{4}", "4", { kwargs }))?.score).to.equal(2);
    expect((await scoreWith(mathScorer, "\\boxed{5}", "4", { kwargs }))?.score).to.equal(0.1);
    expect((await scoreWith(mathScorer, "5", "4", { kwargs }))?.score).to.equal(0);
  });

  it("reads gold answers that are numbers, worked solutions or several", async () => {
    expect((await scoreWith(mathScorer, "\\boxed{4}", 4))?.score).to.equal(1);
    expect((await scoreWith(mathScorer, "\\boxed{4}", "We have $2+2=\\boxed{4}$."))?.score).to.equal(1);
    expect((await scoreWith(mathScorer, "\\boxed{4}", ["four?{", "3", "4"]))?.score).to.equal(1);
  });

  it("abstains when the gold answer cannot be read, whatever the answer", async () => {
    for (const gold of [null, "", "\\frac{1}{", {}, []]) {
      expect(await scoreWith(mathScorer, "\\boxed{4}", gold)).to.equal(null);
    }
  });

  it("compares as verl does when asked to", async () => {
    const kwargs = { compat: "verl" };
    expect((await scoreWith(mathScorer, "\\boxed{x^{2} + 1}", "x^2+1", { kwargs }))?.score).to.equal(0);
    expect((await scoreWith(mathScorer, "\\boxed{x^{2} + 1}", "x^2+1"))?.score).to.equal(1);
    expect((await scoreWith(mathScorer, "\\fbox{3}", "3", { kwargs }))?.score).to.equal(0);
  });
});

describe("geometry3k scorer", () => {
  it("pays nine tenths for the answer and one tenth for the format", async () => {
    const score = async (solution: string) => (await scoreWith(geometry3kScorer, solution, "2\\sqrt{3}"))?.score;
    expect(await score("<think>hm</think> \\boxed{\\sqrt{12}}")).to.equal(1);
    expect(await score("\\boxed{\\sqrt{12}}")).to.equal(0.9);
    expect(await score("<think>hm</think> \\boxed{1}")).to.equal(0.1);
    expect(await score("<think>\\boxed{1}</think>")).to.equal(0);
  });
});
