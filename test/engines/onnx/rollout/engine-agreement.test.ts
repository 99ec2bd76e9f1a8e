import { expect } from "chai";
import { packSequences } from "../../../../core/plugin.js";
import { createOnnxEngine } from "../../../../engines/onnx/engine.js";
import { FAMILY_CONFIGS } from "../families/family-configs.js";
import { request, tinyConfig, withOnnxReplica } from "./tiny-model.js";

const variants = {
  "grouped queries, tied head": tinyConfig,
  "one key head per query head, untied head": { ...tinyConfig, num_key_value_heads: 6, tie_word_embeddings: false },
  "heads of 4, for which attention is plain": { ...tinyConfig, head_dim: 4 },
  ...FAMILY_CONFIGS,
};

describe("onnx rollout against the training engine", () => {
  for (const [what, config] of Object.entries(variants)) {
    for (const temperature of [1, 0.7]) {
      it(`gives the log-probabilities that the engine computes: ${what}, temperature ${temperature}`, async () => {
        const engine = createOnnxEngine({
          model: { config, initSeed: 3 },
          optimizer: null,
          topology: { rank: 0, size: 1, isOutputSource: true },
          threads: 1,
          seed: 1,
          extra: {},
        });
        await using _engine = { [Symbol.asyncDispose]: () => engine.dispose() };
        await engine.initialize();
        const prompts = Array.from({ length: 9 }, (_, i) =>
          Array.from({ length: 1 + i * 4 }, (_, j) => (i * j + 7 * i) % 61),
        );
        const outputs = await withOnnxReplica(
          { model: { config } },
          async (replica) => {
            await replica.receiveWeights(engine.getPerTensorParam(), { version: 2 });
            return Promise.all(
              prompts.map((promptIds, i) =>
                replica.generate(request(`p${i}`, { promptIds, maxTokens: 20, temperature, topP: 0.95 })),
              ),
            );
          },
          null,
        );
        const sequences = outputs.map(({ tokenIds }, i) => ({ promptIds: prompts[i], responseIds: tokenIds }));
        await using _mode = await engine.evalMode();
        const { logProb } = await engine.inferBatch(packSequences(sequences, { temperature }), ["logProb"]);
        const sampled = outputs.flatMap(({ logProbs }) => logProbs ?? []);
        expect(logProb).to.have.length(sampled.length);
        const gap = Math.max(...sampled.map((x, i) => Math.abs(x - (logProb as Float32Array)[i])));
        expect(gap).to.be.below(1e-4);
        expect(Math.min(...sampled)).to.be.below(-2);
      });
    }
  }
});
