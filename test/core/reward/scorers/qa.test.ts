import { expect } from "chai";
import { qaScorer } from "../../../../core/reward/scorers/index.js";
import { scoreWith } from "./score-with.js";

const score = async (answer: string, target: string | string[], kwargs = {}) =>
  (await scoreWith(qaScorer, `<answer>${answer}</answer>`, { target }, { kwargs }))?.score;

describe("qa_exact_match scorer", () => {
  const right: [string, string, string | string[]][] = [
    ["case, articles, punctuation and spaces", " The  paris! ", ["London", "paris"]],
    ["accents", "Beyonce", "Beyoncé"],
    ["hyphens", "well known", "well-known"],
    ["thousands commas", "1,000", "1000"],
    ["other quotation marks", "“Hamlet”", "Hamlet"],
    ["other scripts", "東京。", "東京"],
  ];
  for (const [name, answer, target] of right) {
    it(`ignores ${name}`, async () => expect(await score(answer, target)).to.equal(1));
  }

  it("keeps numbers apart", async () => {
    expect(await score("35", "3.5")).to.equal(0);
    expect(await score("5", "-5")).to.equal(0);
  });

  it("counts the last answer, however many tags there are", async () => {
    const many = "<answer>b</answer>".repeat(11);
    expect((await scoreWith(qaScorer, `<answer>a</answer>${many}`, { target: "b" }))?.score).to.equal(1);
    expect((await scoreWith(qaScorer, "<answer>b</answer><answer>a</answer>", { target: "b" }))?.score).to.equal(0);
  });

  it("wants tags", async () => {
    expect(await scoreWith(qaScorer, "Paris", { target: "Paris" })).to.deep.equal({
      score: 0,
      acc: 0,
      pred: "[INVALID]",
      format: 0,
    });
  });

  it("takes targets as a text or a list, without an object as well", async () => {
    expect((await scoreWith(qaScorer, "<answer>x y</answer>", ["z", "x y"]))?.score).to.equal(1);
    expect((await scoreWith(qaScorer, "<answer>x y</answer>", "x y"))?.score).to.equal(1);
  });

  it("abstains without a target that says anything", async () => {
    for (const target of ["", "The", []])
      expect(await scoreWith(qaScorer, "<answer>a</answer>", { target })).to.equal(null);
    expect(await scoreWith(qaScorer, "<answer>a</answer>", null)).to.equal(null);
  });

  it("compares as verl does when asked to", async () => {
    const kwargs = { compat: "verl" };
    expect(await score("35", "3.5", kwargs)).to.equal(1);
    expect(await score("Beyonce", "Beyoncé", kwargs)).to.equal(0);
    const many = "<answer>b</answer>".repeat(11);
    expect((await scoreWith(qaScorer, many, { target: "b" }, { kwargs }))?.score).to.equal(0.25);
  });
});
