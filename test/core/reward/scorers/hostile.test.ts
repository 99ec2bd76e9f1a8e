import { expect } from "chai";
import fc from "fast-check";
import type { JsonValue } from "../../../../core/plugin.js";
import { builtinScorers } from "../../../../core/reward/index.js";
import { scoreWith } from "./score-with.js";

const PIECES = [
  ..."\\boxed{ \\boxed \\fbox{ } { $ #### Answer: answer <answer> </answer> <think> </think> \\text{ \\frac \\sqrt ( ) A (B) , and".split(
    " ",
  ),
  ..."0123456789.-+=/%^_*\"' \n\t\0\ud800\u0301é²٣😀",
  " the ",
  " an ",
  "\\boxed ",
];
const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 80 }).map((pieces) => pieces.join(""));
const gold = fc.oneof(text, fc.constantFrom("12", "B", "\\frac12", "(1,2)"), fc.jsonValue());

/** Where a number is no gold answer. */
const golds: Readonly<Record<string, JsonValue>> = {
  multiple_choice: "B",
  code: { inputs: ["1"], outputs: ["1"] },
};

describe("scorers on hostile text", () => {
  for (const scorer of builtinScorers) {
    it(`${scorer.name} scores or abstains`, () =>
      fc.assert(
        fc.asyncProperty(
          text,
          gold,
          fc.constantFrom({}, { compat: "verl" }, { method: "flexible" }),
          async (solution, truth, kwargs) => {
            const result = await scoreWith(scorer, solution, truth as string, {
              kwargs,
              extraInfo: { choices: truth },
            });
            if (result !== null) expect(result.score).to.be.within(-1, 1);
          },
        ),
        { numRuns: 150 },
      ));

    it(`${scorer.name} reads long repetitions once`, async () => {
      for (const piece of PIECES) {
        const solution = `${piece.repeat(Math.ceil(50_000 / piece.length))}\\boxed{1}`;
        const result = await scoreWith(scorer, solution, golds[scorer.name] ?? "12");
        expect(result?.score).to.be.within(-1, 1);
      }
    });
  }
});
