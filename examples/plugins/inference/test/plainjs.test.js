import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { createOnnxEngine } from "verl-ts/engines/onnx";
import { composeServerAdapter, packSequences, RandomStream } from "verl-ts/plugin";
import { pluginConformance, rolloutConformance, runConformance } from "verl-ts/testing";
import { createPlainReplica } from "../dist/plain-backend.js";

const config = {
  model_type: "llama",
  vocab_size: 50,
  hidden_size: 24,
  intermediate_size: 40,
  num_hidden_layers: 2,
  num_attention_heads: 6,
  num_key_value_heads: 2,
  head_dim: 8,
  max_position_embeddings: 512,
};
const engineOptions = {
  optimizer: null,
  topology: { rank: 0, size: 1, isOutputSource: true },
  threads: 1,
  seed: 1,
  extra: {},
};

/** Weights as the training engine initialises and streams them. */
async function* engineWeights(initSeed) {
  const engine = createOnnxEngine({ ...engineOptions, model: { config, initSeed } });
  await engine.initialize();
  yield* engine.getPerTensorParam();
  await engine.dispose();
}

const subject = () => ({
  vocabSize: config.vocab_size,
  async create(demands) {
    const replica = createPlainReplica({ ...demands, model: { config }, threads: 1, extra: {} });
    return { replica, adapter: composeServerAdapter(replica) };
  },
  weights: engineWeights,
});
const root = fileURLToPath(new URL("..", import.meta.url));

runConformance("plainjs rollout", rolloutConformance(subject), { describe, it });
runConformance("plainjs plugin", pluginConformance(root), { describe, it });

describe("plainjs against the training engine", () => {
  it("agrees within 1e-4 nats on every sampled token", async () => {
    const temperature = 0.8;
    const engine = createOnnxEngine({ ...engineOptions, model: { config, initSeed: 3 } });
    await engine.initialize();
    const replica = createPlainReplica({
      replicaRank: 0,
      model: { config },
      maxModelLen: 128,
      maxNumSeqs: 8,
      responseLength: 24,
      eosTokenIds: [0],
      createDecoder: null,
      threads: 1,
      extra: {},
    });
    await replica.launch();
    await composeServerAdapter(replica).updateWeights(engine.getPerTensorParam(), { version: 1 });
    const random = new RandomStream(1, "prompts");
    const prompts = Array.from({ length: 12 }, (_, i) => Array.from({ length: 1 + 3 * i }, () => random.int(50)));
    const sampling = { temperature, topP: 1, topK: -1, logProbs: true };
    const outputs = await Promise.all(
      prompts.map((promptIds, i) => replica.generate({ requestId: `p${i}`, promptIds, seed: 1, sampling })),
    );
    const sequences = outputs.map(({ tokenIds }, i) => ({ promptIds: prompts[i], responseIds: tokenIds }));
    const mode = await engine.evalMode();
    const { logProb } = await engine.inferBatch(packSequences(sequences, { temperature }), ["logProb"]);
    await mode[Symbol.asyncDispose]();
    const sampled = outputs.flatMap(({ logProbs }) => logProbs);
    assert.equal(sampled.length, logProb.length);
    assert.ok(sampled.length > 100);
    sampled.forEach((value, i) => {
      assert.ok(Math.abs(value - logProb[i]) < 1e-4, `token ${i}: ${value} sampled, ${logProb[i]} by the trainer`);
    });
    await replica.dispose();
    await engine.dispose();
  });
});
