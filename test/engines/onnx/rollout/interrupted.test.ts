import { expect } from "chai";
import {
  createLlmClient,
  createLoadBalancer,
  resumingClient,
  type TokenOutput,
} from "../../../../core/rollout/index.js";
import { randomWeights, request, streamOf, tiny, withOnnxReplica } from "./tiny-model.js";

const LIMITS = { promptLength: 16, responseLength: 200 };
const OPTIONS = { maxModelLen: 240, responseLength: 200 };

describe("onnx rollout: a response that a weight update interrupts", () => {
  it("goes on under the new weights, and every token keeps the log-probability of those that drew it", async () => {
    const [first, second] = [randomWeights(tiny, 1), randomWeights(tiny, 2)];
    const asked = [0, 1, 2].map((i) => request(`r${i}`, { promptIds: [1, 2, 3 + i], maxTokens: 150 }));
    const outputs = await withOnnxReplica(
      OPTIONS,
      async (replica) => {
        const balancer = createLoadBalancer();
        balancer.add(replica);
        const client = resumingClient(createLlmClient({ balancer, ...LIMITS }), LIMITS);
        const responses = asked.map((one) => client.generate(one));
        // A short request that ends says that the others are under way.
        await replica.generate(request("clock", { maxTokens: 20 }));
        await replica.abortAll();
        await replica.receiveWeights(streamOf(second), { version: 2 });
        await replica.resumeGeneration();
        return Promise.all(responses);
      },
      first,
    );

    for (const [i, output] of outputs.entries()) {
      expect(output).to.include({
        stopReason: "length",
        minWeightVersion: 1,
        maxWeightVersion: 2,
        numInterruptions: 1,
      });
      const [before, after] = output.weightVersions ?? [];
      expect(before).to.include({ start: 0, version: 1 });
      expect(after).to.include({ start: before.end, end: 150, version: 2 });
      const whole = await withOnnxReplica(OPTIONS, (replica) => replica.generate(asked[i]), first);
      expect(cut(output, 0, before.end)).to.deep.equal(cut(whole, 0, before.end));
      // The rest is what the new weights give to a request that begins with the tokens of the old ones.
      const { promptIds, sampling } = asked[i];
      const rest = await withOnnxReplica(
        OPTIONS,
        (replica) =>
          replica.generate({
            ...asked[i],
            promptIds: [...promptIds, ...output.tokenIds.slice(0, before.end)],
            sampling: { ...sampling, maxTokens: 150 - before.end },
          }),
        second,
      );
      expect(cut(output, before.end, 150)).to.deep.equal(cut(rest, 0, 150));
    }
  });

  it("is what it would have been where the update brings the same weights", async () => {
    const same = randomWeights(tiny, 1);
    const one = request("same", { maxTokens: 120, temperature: 0.8, topP: 0.9 });
    await withOnnxReplica(
      OPTIONS,
      async (replica) => {
        const whole = await replica.generate(one);
        const balancer = createLoadBalancer();
        balancer.add(replica);
        const response = resumingClient(createLlmClient({ balancer, ...LIMITS }), LIMITS).generate(one);
        for (let version = 2; version < 5; version++) {
          await replica.generate(request(`clock${version}`, { maxTokens: 8 }));
          await replica.abortAll();
          await replica.receiveWeights(streamOf(same), { version });
          await replica.resumeGeneration();
        }
        const output = await response;
        expect(output.numInterruptions).to.equal(3);
        expect(output.tokenIds).to.deep.equal(whole.tokenIds);
        // What was decoded token by token is now prefilled in one piece, by other kernels.
        for (const [t, logProb] of (output.logProbs ?? []).entries()) {
          expect(logProb).to.be.closeTo(whole.logProbs?.[t] ?? NaN, 1e-4);
        }
        expect(output.weightVersions?.map(({ version }) => version)).to.deep.equal([1, 2, 3, 4]);
      },
      same,
    );
  });
});

const cut = ({ tokenIds, logProbs, sampledLogProbs }: TokenOutput, from: number, to: number) => ({
  tokenIds: tokenIds.slice(from, to),
  logProbs: logProbs?.slice(from, to),
  sampledLogProbs: sampledLogProbs?.slice(from, to),
});
