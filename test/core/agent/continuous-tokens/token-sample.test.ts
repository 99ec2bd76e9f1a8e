import { expect } from "chai";
import type { TokenEdit } from "../../../../core/agent/continuous-tokens/edit.js";
import { editSample, newSample, type TokenSample } from "../../../../core/agent/continuous-tokens/token-sample.js";
import { versionsOf } from "../../../../core/agent/index.js";

const edit = (appendedIds: number[], insertedIds: number[] = [], removedPrefixCount = 0): TokenEdit => ({
  kind: "messages",
  removedPrefixCount,
  insertedIds,
  appendedIds,
});
const metadata = (logProbs: number[], version = 1) => ({
  logProbs,
  minWeightVersion: version,
  maxWeightVersion: version,
});
const lists = ({ responseIds, responseMask, responseLogProbs }: TokenSample) => ({
  responseIds,
  responseMask,
  responseLogProbs,
});

describe("mask and log-probabilities of an edited sample", () => {
  const start = newSample([1, 2], true);
  const answered = editSample(start, edit([20, 21, 0]), metadata([-1, -2, -3]));

  it("are 1 and the given ones for sampled tokens", () => {
    expect(lists(answered)).to.deep.equal({
      responseIds: [20, 21, 0],
      responseMask: [1, 1, 1],
      responseLogProbs: [-1, -2, -3],
    });
  });

  it("are 0 for inserted and appended tokens", () => {
    expect(lists(editSample(answered, edit([10, 11], [30]), null))).to.deep.equal({
      responseIds: [20, 21, 0, 30, 10, 11],
      responseMask: [1, 1, 1, 0, 0, 0],
      responseLogProbs: [-1, -2, -3, 0, 0, 0],
    });
  });

  it("are taken off with the tokens that are removed", () => {
    expect(lists(editSample(answered, edit([10], [], 1), null))).to.deep.equal({
      responseIds: [20, 21, 10],
      responseMask: [1, 1, 0],
      responseLogProbs: [-1, -2, 0],
    });
  });

  it("T15: only sampled tokens have mask 1, neither the assistant's header nor the line feed after its end", () => {
    const header = editSample(newSample([1, 2], true), edit([10, 11]), null);
    const turn = editSample(header, edit([20, 21, 9]), metadata([-1, -1, -1]));
    const sample = editSample(turn, edit([], [30]), null);
    expect(sample.responseIds).to.deep.equal([10, 11, 20, 21, 9, 30]);
    expect(sample.responseMask).to.deep.equal([0, 0, 1, 1, 1, 0]);
    expect(sample.responseLogProbs?.filter((_, t) => sample.responseMask[t] === 0)).to.deep.equal([0, 0, 0]);
  });

  it("T16: do not depend on token values: a sampled end token that is also the padding stays trained", () => {
    expect(answered.responseIds.at(-1)).to.equal(0);
    expect(answered.responseMask.at(-1)).to.equal(1);
  });

  it("keep the weight versions of sampled spans, shortened by what is removed", () => {
    const later = editSample(editSample(answered, edit([10], [], 1), null), edit([22]), metadata([-1], 4));
    expect(later.spans).to.deep.equal([
      { start: 0, end: 2, minWeightVersion: 1, maxWeightVersion: 1 },
      { start: 3, end: 4, minWeightVersion: 4, maxWeightVersion: 4 },
    ]);
    expect(versionsOf(later)).to.deep.equal({ minWeightVersion: 1, maxWeightVersion: 4 });
    expect(versionsOf(start)).to.equal(null);
  });

  it("leave the sample before as it was", () => {
    editSample(answered, edit([10], [30], 2), null);
    expect(answered.responseIds).to.deep.equal([20, 21, 0]);
    expect(answered.spans).to.deep.equal([{ start: 0, end: 3, minWeightVersion: 1, maxWeightVersion: 1 }]);
  });
});
