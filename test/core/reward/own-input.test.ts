import { expect } from "chai";
import { createHybridRewardManager, parseErrorPolicy, withErrorPolicy } from "../../../core/reward/index.js";
import { managerOptions, rewardInput } from "./input.js";

describe("what is scored", () => {
  it("is as it was at every retry", async () => {
    const seen: unknown[] = [];
    const manager = withErrorPolicy(
      {
        supports: () => true,
        async score({ row }) {
          seen.push(structuredClone(row));
          (row.list as unknown[]).push(1);
          throw new Error("again");
        },
      },
      parseErrorPolicy("retry(1) zero"),
    );
    await manager.score(rewardInput({ row: { list: [] } }));
    expect(seen).to.deep.equal([{ list: [] }, { list: [] }]);
  });

  it("is each part's own under hybrid", async () => {
    const seen: number[] = [];
    const score = ({ extraInfo }: { extraInfo: Readonly<Record<string, unknown>> }) =>
      seen.push((extraInfo.list as unknown[]).push(1));
    const manager = createHybridRewardManager({
      ...managerOptions({ customFunction: score }),
      findScorer: () => ({ name: "rule", dataSources: ["test"], score }),
      hybrid: [{ data_source: "*", rule: 1, function: 1, model: 0 }],
    });
    await manager.score(rewardInput({ extraInfo: { list: [] } }));
    expect(seen).to.deep.equal([1, 1]);
  });
});
