import { expect } from "chai";
import { dapoRewardManager } from "../../../../core/reward/index.js";
import { managerOptions, rewardInput } from "../input.js";

const buffer = { enable: true, len: 20, penalty_factor: 1 };

async function score(length: number, section: object, returned: number | null = 1) {
  const rewardKwargs = { max_resp_len: 100, overlong_buffer_cfg: section };
  const manager = await dapoRewardManager.create(managerOptions({ customFunction: () => returned, rewardKwargs }));
  return manager.score({ ...rewardInput(), responseIds: new Array<number>(length).fill(1) });
}

describe("dapo reward manager", () => {
  it("takes a penalty off that grows within the buffer and stops at the limit", async () => {
    for (const [length, expected] of [
      [80, 1],
      [90, 0.5],
      [100, 0],
      [110, 0],
    ]) {
      expect((await score(length, buffer)).score, `${length} tokens`).to.be.closeTo(expected, 1e-12);
    }
    expect((await score(110, { ...buffer, beyond: "grow" })).score).to.be.closeTo(-0.5, 1e-12);
  });

  it("leaves the extra values as they were, and adds the penalty when it is to be logged", async () => {
    expect((await score(90, buffer)).extra).to.deep.equal({ acc: 1 });
    const { extra } = await score(90, { ...buffer, log: true });
    expect(extra).to.deep.equal({ acc: 1, overlong_reward: -0.5, overlong: true });
  });

  it("is the naive one where it is off, and for responses without a score", async () => {
    expect((await score(110, { ...buffer, enable: false })).score).to.equal(1);
    expect((await score(110, buffer, null)).outcome).to.equal("abstain");
  });

  it("says that the length of the longest response is missing", async () => {
    const rewardKwargs = { overlong_buffer_cfg: { enable: true, len: 4 } };
    const make = () => dapoRewardManager.create(managerOptions({ customFunction: () => 1, rewardKwargs }));
    expect(make).to.throw("the overlong buffer has len 4, penalty_factor 1 and no max_resp_len that is a number");
  });

  it("refuses a buffer that does not fit, when it is made", async () => {
    for (const bad of [{ ...buffer, len: 0 }, { ...buffer, len: 200 }, { enable: true }, { ...buffer, beyond: "x" }]) {
      const error = await score(1, bad).catch((e: Error) => e);
      expect(error, JSON.stringify(bad)).to.be.instanceOf(Error);
      expect((error as Error).message).to.match(/VERL_ALGORITHMS_(BAD_VALUE|UNKNOWN_NAME)/);
    }
  });
});
