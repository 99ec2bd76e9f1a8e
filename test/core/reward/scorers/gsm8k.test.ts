import { expect } from "chai";
import fc from "fast-check";
import { gsm8kScorer } from "../../../../core/reward/index.js";
import { scoreWith } from "./score-with.js";

async function grade(solution: string, groundTruth: string | number | null, kwargs: Record<string, unknown> = {}) {
  return scoreWith(gsm8kScorer, solution, groundTruth, { kwargs });
}
const scoreOf = async (solution: string, truth: string, kwargs = {}) => (await grade(solution, truth, kwargs))?.score;

describe("gsm8k scorer", () => {
  const right: [string, string, string][] = [
    ["a plain marked answer", "3 + 4 = 7\n#### 7", "7"],
    ["thousands commas", "#### 1,200", "1200"],
    ["commas in the gold answer", "#### 1200", "1,200"],
    ["a currency sign and trailing zeros", "#### $9.00", "9"],
    ["a full stop", "#### 12.", "12"],
    ["an escaped currency sign", "#### \\$1,200.00.", "1200"],
    ["any currency sign", "#### ₩ 3,000", "3000"],
    ["emphasis", "#### **42**", "42"],
    ["zeros in front and behind", "#### 007.50", "7.5"],
    ["a minus sign of its own", "#### −4", "-4"],
    ["a currency sign behind", "#### 5€ each", "5"],
    ["a unit behind a slash", "#### 12/month", "12"],
    ["digits beyond doubles", "#### 12,345,678,901,234,567,890", "12345678901234567890"],
    ["a later mark without a number", "#### 8\n#### done", "8"],
    ["text after the number", "#### 14 \nThanks!", "14"],
    ["units", "#### 2,500,000 people", "2500000"],
    ["a negative amount", "#### -$5", "-5"],
    ["a sign after the currency", "#### $-5", "-5"],
    ["no space after the mark", "####7", "7"],
    ["long text after the answer", `#### 8${" ".repeat(400)}`, "8"],
    ["the last marked answer", "#### 5 or maybe\n#### 6", "6"],
    ["a worked gold solution", "#### 18", "9 * 2 = 18\n#### 18"],
    ["zero with a sign", "#### -0", "0"],
  ];
  for (const [name, solution, truth] of right) {
    it(`accepts ${name}`, async () => expect(await scoreOf(solution, truth)).to.equal(1));
  }

  const wrong: [string, string, string][] = [
    ["another number", "#### 13", "12"],
    ["the wrong sign", "#### -4", "4"],
    ["an answer that is not marked", "The total is 55 coins", "55"],
    ["an earlier marked answer", "#### 5 or maybe\n#### 6", "5"],
    ["a fraction that starts like the answer", "#### 3/4", "3"],
    ["a longer decimal", "#### 3.51", "3.5"],
    ["a number that goes on", "#### 1,2345", "1234"],
    ["digits that doubles confuse", "#### 12345678901234567891", "12345678901234567890"],
    ["nothing", "", "0"],
  ];
  for (const [name, solution, truth] of wrong) {
    it(`refuses ${name}`, async () => expect(await scoreOf(solution, truth)).to.equal(0));
  }

  it("takes the last number when the method is flexible", async () => {
    const flexible = { method: "flexible" };
    expect(await scoreOf("First 3, then 4.", "4", flexible)).to.equal(1);
    expect(await scoreOf("It costs $1,000.", "1000", flexible)).to.equal(1);
    expect(await scoreOf("She has 10-5", "5", flexible)).to.equal(1);
    expect(await scoreOf("one of 1,2,3", "3", flexible)).to.equal(1);
    expect(await scoreOf("#### 18\nThat took 3 steps", "18", flexible)).to.equal(1);
  });

  it("tells format and answer apart", async () => {
    expect(await grade("so it is 42", "42")).to.deep.include({ score: 0, format: 0, answer: 1, pred: "[INVALID]" });
    expect(await grade("#### 41", "42")).to.deep.include({ score: 0, format: 1, answer: 0, pred: "41" });
    expect(await grade("#### 42", 42)).to.deep.include({ score: 1, acc: 1, format: 1, answer: 1, pred: "42" });
  });

  it("abstains when the gold answer is no number", async () => {
    expect(await grade("#### 42", "forty-two")).to.equal(null);
    expect(await grade("#### 42", null)).to.equal(null);
  });

  it("pays the configured scores", async () => {
    const kwargs = { score: 2, format_score: 0.1 };
    expect(await scoreOf("#### 42", "42", kwargs)).to.equal(2);
    expect(await scoreOf("#### 41", "42", kwargs)).to.equal(0.1);
    expect(await scoreOf("41", "42", kwargs)).to.equal(0);
  });

  it("does not care how an integer is written", () =>
    fc.assert(
      fc.asyncProperty(fc.integer({ min: -9_999_999, max: 9_999_999 }), async (n) => {
        const sign = n < 0 ? "-" : "";
        const digits = Math.abs(n).toLocaleString("en-US");
        for (const text of [`${n}`, `${sign}$${digits}.00`, `${sign}${digits} apples.`]) {
          expect(await scoreOf(`#### ${text}`, String(n))).to.equal(1);
        }
      }),
      { numRuns: 50 },
    ));
});

describe("gsm8k scorer, compat verl", () => {
  const cases: [string, string, string, number][] = [
    ["strict", "so #### 1,234", "1234", 1],
    ["strict", "#### $7", "7", 0],
    ["strict", "#### 7.", "7", 0],
    ["strict", "####7", "7", 0],
    ["strict", `#### 8${" ".repeat(300)}`, "8", 0],
    ["strict", `#### 8${" ".repeat(290)}`, "8", 1],
    ["strict", "#### 3.50", "3.5", 0],
    ["strict", "#### .", ".", 1],
    ["flexible", "The total is 55 coins", "55", 1],
    ["flexible", "First 3, then 4.", "4", 0],
    ["flexible", "From 10 to 20 .", "20", 1],
    ["flexible", "value 1,000", "1000", 0],
    ["flexible", "-8 degrees", "-8", 1],
    ["flexible", "#### .", ".", 1],
  ];
  for (const [method, solution, truth, score] of cases) {
    it(`${method}: ${JSON.stringify(solution.slice(0, 30))} against ${truth} is ${score}`, async () =>
      expect(await scoreOf(solution, truth, { method, compat: "verl" })).to.equal(score));
  }
});
