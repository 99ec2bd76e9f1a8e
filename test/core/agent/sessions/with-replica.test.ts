import { expect } from "chai";
import { createLlmClient, createLoadBalancer } from "../../../../core/rollout/index.js";
import { createFakeReplica } from "../../../../testing/index.js";
import { harness, task, tokenizer } from "../harness.js";

/** Samples 6 prompts from a bigram model, over some number of servers and workers. */
async function sample(replicas: number, workers: number) {
  const { vocabSize } = tokenizer;
  const table = Float32Array.from({ length: vocabSize ** 2 }, (_, i) => Math.sin(i * 1.7) * 2);
  const balancer = createLoadBalancer();
  for (let replicaRank = 0; replicaRank < replicas; replicaRank++) {
    const replica = createFakeReplica({ replicaRank, vocabSize, table, maxModelLen: 80, eosTokenIds: [1] });
    await replica.launch();
    balancer.add(replica);
  }
  const client = createLlmClient({ balancer, promptLength: 64, responseLength: 16 });
  const { manager, submit, rows } = harness({ agent: { num_workers: workers }, over: { client } });
  await submit(Array.from({ length: 6 }, (_, i) => task(`p${i}`, { draw: i })));
  await manager.drain();
  const all = await rows();
  return Object.keys(all)
    .sort()
    .map((key) => [key, [...(all[key].responseIds as Int32Array)], [...(all[key].rolloutLogProbs as Float32Array)]]);
}

describe("agent loops on real servers", () => {
  it("give the same trajectories over any number of servers and workers", async () => {
    const alone = await sample(1, 1);
    expect(alone).to.have.length(12);
    expect(new Set(alone.map(([, ids]) => String(ids))).size).to.be.greaterThan(6);
    expect(await sample(3, 4)).to.deep.equal(alone);
  });
});
