import { expect } from "chai";
import type { Scorer } from "../../../core/plugin.js";
import { builtinScorers } from "../../../core/reward/index.js";
import { runConformance, scorerConformance } from "../../../testing/index.js";
import { failing } from "../support.js";

describe("scorer conformance", () => {
  for (const scorer of builtinScorers) {
    runConformance(`the scorer ${scorer.name}`, scorerConformance({ scorer }), { describe, it });
  }

  const scorer: Scorer = { name: "s", dataSources: ["s/*"], score: ({ solution }) => solution.length };

  it("catches answers that make a scorer throw", async () => {
    const brittle: Scorer = { ...scorer, score: ({ solution }) => solution.match(/\d/)![0].length };
    expect(await failing(scorerConformance({ scorer: brittle }))).to.deep.equal([
      "scores any answer where it can score one",
    ]);
  });

  it("bears right answers that a scorer does not take", async () => {
    const strict: Scorer = {
      ...scorer,
      score({ groundTruth }) {
        if (typeof groundTruth !== "string") throw new TypeError("a text is due");
        return 1;
      },
    };
    expect(await failing(scorerConformance({ scorer: strict }))).to.deep.equal([]);
  });

  it("catches scores that are no numbers, wrong, or different each time", async () => {
    let calls = 0;
    const samples = [{ solution: "abc", groundTruth: "", score: 3 }];
    const cases = (score: Scorer["score"]) => failing(scorerConformance({ scorer: { ...scorer, score }, samples }));
    expect(await cases(() => Number.NaN)).to.include("scores any answer where it can score one");
    expect(await cases(() => 2)).to.deep.equal(["gives the answers that it knows what they are worth"]);
    expect(await cases(() => calls++)).to.include(
      "scores the same answer the same, also when others are scored at the same time",
    );
  });

  it("catches data sources with a `*` in the middle", async () => {
    const odd = { ...scorer, dataSources: ["a*b"] };
    expect(await failing(scorerConformance({ scorer: odd }))).to.have.length(1);
  });
});
