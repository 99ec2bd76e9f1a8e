import { expect } from "chai";
import { joinShared, missingEnd } from "../../../../core/agent/continuous-tokens/turn-boundary.js";

const [END, LF, EOS, OBSERVATION, USER] = [90, 91, 92, 93, 94];
const rule = { turnEnd: [END, LF], stopIds: new Set([END, EOS]), sharedIds: new Set<number>() };
const glm = { turnEnd: [], stopIds: new Set([OBSERVATION, USER, EOS]), sharedIds: new Set([OBSERVATION, USER]) };

describe("turn boundaries", () => {
  it("insert what the template writes behind the stop token", () => {
    expect(missingEnd([1, 2, END], rule)).to.deep.equal([LF]);
    expect(missingEnd([1, 2, END, LF], rule)).to.deep.equal([]);
  });

  it("take another stop token for the template's", () => {
    expect(missingEnd([1, 2, EOS], rule)).to.deep.equal([LF]);
  });

  it("close a turn that was cut off, or in which nothing was sampled", () => {
    expect(missingEnd([1, 2], rule)).to.deep.equal([END, LF]);
    expect(missingEnd([], rule)).to.deep.equal([END, LF]);
  });

  it("keep a sampled token that begins the next turn too, and do not write it twice", () => {
    expect(missingEnd([1, OBSERVATION], glm)).to.deep.equal([]);
    expect(joinShared([1, OBSERVATION], [OBSERVATION, 5], glm)).to.deep.equal({ removedPrefixCount: 0, nextIds: [5] });
  });

  it("remove it where another turn begins", () => {
    expect(joinShared([1, USER], [OBSERVATION, 5], glm)).to.deep.equal({
      removedPrefixCount: 1,
      nextIds: [OBSERVATION, 5],
    });
  });

  it("leave every other end alone", () => {
    expect(joinShared([1, EOS], [OBSERVATION, 5], glm)).to.deep.equal({
      removedPrefixCount: 0,
      nextIds: [OBSERVATION, 5],
    });
    expect(joinShared([], [5], glm)).to.deep.equal({ removedPrefixCount: 0, nextIds: [5] });
  });
});
