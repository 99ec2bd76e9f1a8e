import assert from "node:assert/strict";
import type { GenerateRequest, LlmClient, LoadBalancer, RolloutReplica } from "../../core/plugin.js";
import type { ConformanceCase } from "../case.js";

export interface ClientUnderTest {
  /** An empty balancer and a client that routes through it. */
  make(): { readonly balancer: LoadBalancer; readonly client: LlmClient };
  /** A launched replica with the given rank that holds weights and can generate. */
  makeReplica(rank: number): Promise<RolloutReplica>;
}

const request = (requestId: string): GenerateRequest => ({
  requestId,
  promptIds: [1, 2],
  seed: 1,
  sampling: Object.freeze({ temperature: 1, topP: 1, topK: -1, maxTokens: 2, logProbs: true }),
});

/** What every client with its balancer must do: routing, release, and what happens when servers come and go. */
export function clientConformance({ make, makeReplica }: ClientUnderTest): ConformanceCase[] {
  const withPool = (
    name: string,
    body: (pool: { balancer: LoadBalancer; client: LlmClient; replicas: RolloutReplica[] }) => Promise<void>,
  ): ConformanceCase => ({
    name,
    async run() {
      const replicas = [await makeReplica(0), await makeReplica(1)];
      try {
        const pool = make();
        for (const replica of replicas) pool.balancer.add(replica);
        await body({ ...pool, replicas });
      } finally {
        for (const replica of replicas) await replica.dispose();
      }
    },
  });
  return [
    withPool("sends a new request to the server with the fewest in flight, ties to the first", async ({ balancer }) => {
      const first = balancer.acquire("a").address;
      const second = balancer.acquire("b").address;
      assert.notEqual(first, second);
      balancer.release(first);
      assert.equal(balancer.acquire("c").address, first);
    }),
    withPool("keeps a trajectory on its server", async ({ balancer }) => {
      const { address } = balancer.acquire("a");
      for (let i = 0; i < 3; i++) assert.equal(balancer.acquire("a").address, address);
    }),
    withPool("forgets routes when it is told to, and says how many", async ({ balancer }) => {
      balancer.acquire("a");
      balancer.acquire("b");
      assert.equal(balancer.clearSticky(), 2);
      assert.equal(balancer.clearSticky(), 0);
    }),
    withPool("drops the routes of a server that leaves", async ({ balancer }) => {
      const { address } = balancer.acquire("a");
      balancer.remove(address);
      assert.notEqual(balancer.acquire("a").address, address);
      assert.equal(balancer.size, 1);
    }),
    withPool("bears the release of an unknown server", async ({ balancer }) => {
      balancer.release("nowhere");
      assert.equal(balancer.size, 2);
    }),
    withPool("refuses when there is no server", async ({ balancer, replicas }) => {
      for (const replica of replicas) balancer.remove(replica.address);
      assert.throws(() => balancer.acquire("a"));
    }),
    withPool("generates, and never changes the request", async ({ client }) => {
      const asked = Object.freeze(request("a"));
      const output = await client.generate(asked);
      assert.ok(output.tokenIds.length >= 1 && output.tokenIds.length <= 2);
      assert.equal(output.logProbs?.length, output.tokenIds.length);
      assert.deepEqual(asked, request("a"));
    }),
    withPool("releases its server when a request fails", async ({ balancer, client }) => {
      await assert.rejects(client.generate({ ...request("a"), promptIds: [] }));
      const seen = new Set([balancer.acquire("x").address, balancer.acquire("y").address]);
      assert.equal(seen.size, 2, "a failed request still counts as in flight");
    }),
  ];
}
