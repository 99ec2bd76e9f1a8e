import { expect } from "chai";
import { philox, RandomStream, uniformAt } from "../../../core/data/random.js";

describe("core/data/random", () => {
  it("gives the published Philox4x32-10 words for a zero key and counter", () => {
    expect(philox(0, 0, 0, 0, 0, 0)).to.deep.equal([0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]);
  });

  it("gives the published words for an all-ones key and counter", () => {
    const f = 0xffffffff;
    expect(philox(f, f, f, f, f, f)).to.deep.equal([0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd]);
  });

  it("depends on seed, stream and position only", () => {
    const stream = new RandomStream(7, "trajectory");
    const drawn = [stream.next(), stream.next(), stream.next()];
    expect(uniformAt(7, "trajectory", 1)).to.equal(drawn[1]);
    expect(new RandomStream(7, "trajectory", 2).next()).to.equal(drawn[2]);
    expect(uniformAt(8, "trajectory", 1)).to.not.equal(drawn[1]);
    expect(uniformAt(7, "other", 1)).to.not.equal(drawn[1]);
  });

  it("is uniform and normal to sampling error", () => {
    const stream = new RandomStream(3, 0);
    const n = 20000;
    let sum = 0;
    let square = 0;
    for (let i = 0; i < n; i++) sum += stream.next();
    expect(sum / n).to.be.closeTo(0.5, 0.01);
    for (let i = 0; i < n; i++) square += stream.normal() ** 2;
    expect(square / n).to.be.closeTo(1, 0.05);
  });
});
