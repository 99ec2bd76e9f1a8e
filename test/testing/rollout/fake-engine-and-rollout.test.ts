import { expect } from "chai";
import { packSequences } from "../../../core/plugin.js";
import { createFakeEngine } from "../../../testing/engine/index.js";
import { createFakeReplica } from "../../../testing/rollout/index.js";

describe("fake engine and fake replica", () => {
  it("are one model: the replica's log-probabilities are those of the engine whose weights it got", async () => {
    const engine = createFakeEngine({ vocabSize: 16, seed: 4 });
    await engine.initialize();
    const replica = createFakeReplica({ vocabSize: 16 });
    await replica.launch();
    await replica.receiveWeights(engine.getPerTensorParam(), { version: 1 });
    const sampling = { temperature: 0.7, topP: 1, topK: -1, logProbs: true };
    const { tokenIds, logProbs = [] } = await replica.generate({ requestId: "r", promptIds: [3], seed: 1, sampling });
    const mode = await engine.evalMode();
    const batch = packSequences([{ promptIds: [3], responseIds: tokenIds }], { temperature: 0.7 });
    const { logProb = [] } = await engine.inferBatch(batch, ["logProb"]);
    await mode[Symbol.asyncDispose]();
    expect(tokenIds).to.have.length(16);
    logProbs.forEach((x, i) => {
      expect(x).to.be.closeTo(logProb[i], 1e-6);
    });
  });
});
