import { expect } from "chai";
import { createScorerIndex, type Scorer } from "../../../core/reward/index.js";

const scorer = (name: string, ...dataSources: string[]): Scorer => ({ name, dataSources, score: () => 1 });

describe("scorer index", () => {
  const index = createScorerIndex([
    scorer("exact", "aime2024"),
    scorer("short", "a*"),
    scorer("long", "aime*"),
    scorer("other", "b"),
  ]);

  it("prefers an exact name, then the longest prefix", () => {
    expect(index.find("aime2024")?.name).to.equal("exact");
    expect(index.find("aime2025")?.name).to.equal("long");
    expect(index.find("apps")?.name).to.equal("short");
    expect(index.find("b")?.name).to.equal("other");
  });

  it("knows nothing of other sources", () => {
    expect(index.find("bb")).to.equal(null);
    expect(index.find("")).to.equal(null);
    expect(index.knownDataSources).to.deep.equal(["a*", "aime*", "aime2024", "b"]);
  });

  it("refuses two scorers for one source and names both", () => {
    expect(() => createScorerIndex([scorer("one", "x"), scorer("two", "x")]))
      .to.throw("VERL_REWARD_AMBIGUOUS_SCORER")
      .with.property("message")
      .that.contains('"one" and "two"');
  });
});
