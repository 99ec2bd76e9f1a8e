import { expect } from "chai";
import { runExample } from "../run-example.js";

describe("examples/dynamic-filtering", () => {
  it("trains on the same number of groups with hooks and without", async function () {
    this.timeout(180_000);
    await runExample("dynamic-filtering", ["data.val_max_samples=8"], async ({ result, steps, read }) => {
      expect(result).to.include.keys("start", "end", "plain", "sampledGroups", "uniformGroupsOfPlain");
      const [filtered, plain] = [await steps("filtered"), await steps("plain")];
      for (const [i, { "signal/groups_sampled": sampled }] of filtered.entries()) {
        expect(sampled).to.be.at.least(2);
        // Two groups of two trajectories, however many were sampled.
        expect(filtered[i]["perf/total_num_tokens"]).to.be.at.most(4 * 10);
        expect(plain[i]).to.not.have.property("signal/groups_sampled");
      }
      expect(await read("curve.svg"))
        .to.include("with hooks")
        .and.include("without hooks");
    });
  });
});
