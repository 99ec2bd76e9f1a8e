import { expect } from "chai";
import { createLlmClient, createLoadBalancer, type GenerateRequest } from "../../../core/rollout/index.js";
import { fakeReplica } from "./fake-replica.js";

const sampling = Object.freeze({ temperature: 1, topP: 1, topK: -1, logProbs: true });
const request = (over: Partial<GenerateRequest> = {}): GenerateRequest =>
  Object.freeze({ requestId: "u_0", promptIds: [1, 2, 3], sampling, seed: 0, ...over });

function setUp(replica = fakeReplica(0)) {
  const balancer = createLoadBalancer();
  balancer.add(replica);
  return { balancer, replica, client: createLlmClient({ balancer, promptLength: 4, responseLength: 6 }) };
}

describe("LLM client", () => {
  it("fills in the response length as the budget of a short prompt", async () => {
    const { client, replica } = setUp();
    await client.generate(request());
    expect(replica.requests[0].sampling.maxTokens).to.equal(6);
  });

  it("gives a longer prompt what is left of prompt plus response length", async () => {
    const { client, replica } = setUp();
    await client.generate(request({ promptIds: new Int32Array(8) }));
    expect(replica.requests[0].sampling.maxTokens).to.equal(2);
  });

  it("lets the request's own limit win", async () => {
    const { client, replica } = setUp();
    await client.generate(request({ sampling: { ...sampling, maxTokens: 50 } }));
    expect(replica.requests[0].sampling.maxTokens).to.equal(50);
  });

  it("ends a prompt that fills the context as `length` without asking a server", async () => {
    const { client, replica } = setUp();
    const output = await client.generate(request({ promptIds: new Int32Array(10) }));
    expect(output).to.deep.equal({
      tokenIds: [],
      logProbs: [],
      sampledLogProbs: [],
      stopReason: "length",
      minWeightVersion: 3,
      maxWeightVersion: 3,
    });
    expect(replica.requests).to.deep.equal([]);
  });

  it("leaves the caller's request untouched", async () => {
    const { client } = setUp();
    await client.generate(request());
    expect(sampling).to.not.have.property("maxTokens");
  });

  it("releases the server when the request fails", async () => {
    const balancer = createLoadBalancer();
    balancer.add(fakeReplica(0, { generate: () => Promise.reject(new Error("boom")) }));
    balancer.add(fakeReplica(1));
    const client = createLlmClient({ balancer, promptLength: 4, responseLength: 6 });
    const failure = await client.generate(request({ requestId: "a" })).then(
      () => null,
      (error: Error) => error.message,
    );
    expect(failure).to.equal("boom");
    expect(balancer.acquire("b").address).to.equal("fake:0");
  });

  it("does not send a request that is already aborted", async () => {
    const { client, replica } = setUp();
    const reason = new Error("stopped");
    const failure = await client.generate(request(), { signal: AbortSignal.abort(reason) }).catch((e: unknown) => e);
    expect(failure).to.equal(reason);
    expect(replica.requests).to.deep.equal([]);
  });
});
