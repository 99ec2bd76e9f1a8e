import { expect } from "chai";
import fc from "fast-check";
import type { GenerateRequest, LlmClient, SamplingParams, TokenOutput } from "../../../core/rollout/index.js";
import { createLlmClient, createLoadBalancer, joinOutputs, resumingClient } from "../../../core/rollout/index.js";
import { createFakeReplica, createToyTokenizer } from "../../../testing/index.js";

const LIMITS = { promptLength: 32, responseLength: 24 };
const tokenizer = createToyTokenizer({ vocabulary: ["a", "b", "c", "d", "e", "f"] });
const { vocabSize } = tokenizer;
const table = Float32Array.from({ length: vocabSize ** 2 }, (_, i) => Math.sin(i * 1.7) * 2);
const sampling = Object.freeze({ temperature: 0.8, topP: 0.95, topK: -1, logProbs: true });
const request = (over: Partial<GenerateRequest> = {}): GenerateRequest =>
  Object.freeze({ requestId: "u_0", promptIds: Object.freeze([6, 7, 8]) as number[], sampling, seed: 3, ...over });

async function server() {
  const replica = createFakeReplica({
    vocabSize,
    table,
    maxModelLen: 64,
    eosTokenIds: [1],
    createDecoder: () => tokenizer.incrementalDecoder(),
  });
  await replica.launch();
  await replica.setWeightVersion(0);
  const balancer = createLoadBalancer();
  balancer.add(replica);
  return { replica, client: createLlmClient({ balancer, ...LIMITS }) };
}

/** Ends the next requests as aborted after so many tokens, each under a version of its own. */
async function cutting(cuts: readonly number[]) {
  const { replica, client } = await server();
  const asked: GenerateRequest[] = [];
  const cut: LlmClient = {
    async generate(whole, options) {
      const at = cuts[asked.length];
      await replica.setWeightVersion(asked.push(whole) - 1);
      const piece = await client.generate(whole, options);
      if (at === undefined || piece.tokenIds.length <= at) return piece;
      return {
        ...piece,
        tokenIds: piece.tokenIds.slice(0, at),
        logProbs: piece.logProbs?.slice(0, at),
        sampledLogProbs: piece.sampledLogProbs?.slice(0, at),
        weightVersions: at > 0 ? [{ start: 0, end: at, version: piece.minWeightVersion }] : [],
        stopReason: "aborted",
      };
    },
  };
  return { asked, client: resumingClient(cut, LIMITS) };
}

const aborted: TokenOutput = {
  tokenIds: [],
  logProbs: [],
  sampledLogProbs: [],
  stopReason: "aborted",
  minWeightVersion: 0,
  maxWeightVersion: 0,
};

describe("resuming client", () => {
  it("gives the tokens and log-probabilities of an uninterrupted response, wherever it is cut", async () => {
    const { client: whole } = await server();
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 6 }),
        fc.nat(1000),
        fc.constantFrom<Partial<SamplingParams>>(
          {},
          { stop: ["ab", "cde"] },
          { ignoreEos: true },
          { repetitionPenalty: 1.3, maxTokens: 17 },
        ),
        async (cuts, seed, over) => {
          const one = request({ seed, sampling: { ...sampling, ...over } });
          const expected = await whole.generate(one);
          const { asked, client } = await cutting(cuts);
          const { weightVersions = [], numInterruptions = 0, ...output } = await client.generate(one);
          const { tokenIds, logProbs, sampledLogProbs, stopReason } = expected;
          expect(output).to.deep.include({ tokenIds, logProbs, sampledLogProbs, stopReason });
          expect(numInterruptions).to.equal(asked.length - 1);
          // Each piece that drew something is a run of its own version, and together they are the response.
          const borders = asked.map(({ promptIds }) => promptIds.length - one.promptIds.length);
          const runs = borders.map((start, version) => ({
            start,
            end: borders[version + 1] ?? tokenIds.length,
            version,
          }));
          expect(weightVersions).to.deep.equal(runs.filter(({ start, end }) => end > start));
          expect(output.minWeightVersion).to.equal(weightVersions[0].version);
          expect(output.maxWeightVersion).to.equal(weightVersions.at(-1)?.version);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("asks for what the budget of the whole response has left, and leaves the caller's request as it was", async () => {
    const { asked, client } = await cutting([5, 0, 7]);
    const one = request({ sampling: Object.freeze({ ...sampling, ignoreEos: true, maxTokens: 20 }) });
    const output = await client.generate(one);
    expect([output.tokenIds.length, output.stopReason]).to.deep.equal([20, "length"]);
    expect(asked.map(({ sampling: { maxTokens } }) => maxTokens)).to.deep.equal([20, 15, 15, 8]);
    expect(asked.map(({ continues }) => continues)).to.deep.equal([undefined, 5, 5, 12]);
    expect(one.sampling.maxTokens).to.equal(20);
  });

  it("bounds a response without a limit of its own by the run's, over all of its pieces", async () => {
    const { client } = await cutting([5, 5, 5, 5]);
    const output = await client.generate(request({ sampling: { ...sampling, ignoreEos: true } }));
    expect([output.tokenIds.length, output.stopReason]).to.deep.equal([24, "length"]);
  });

  it("is woken by resumeGeneration after an abort of everything, and goes on with the weights of then", async () => {
    const { replica, client } = await server();
    const one = request({ sampling: { ...sampling, ignoreEos: true } });
    const expected = await client.generate(one);
    for (let turns = 0; turns < 12; turns++) {
      await replica.setWeightVersion(turns);
      const response = resumingClient(client, LIMITS).generate(one);
      for (let i = 0; i < turns; i++) await new Promise<void>((resolve) => setImmediate(resolve));
      await replica.abortAll();
      await replica.setWeightVersion(turns + 1);
      await replica.resumeGeneration();
      const { tokenIds, logProbs, minWeightVersion, maxWeightVersion } = await response;
      expect({ tokenIds, logProbs }).to.deep.equal({ tokenIds: expected.tokenIds, logProbs: expected.logProbs });
      expect(maxWeightVersion - minWeightVersion).to.be.oneOf([0, 1]);
    }
  });

  it("ends as aborted when the caller aborts, with the tokens drawn so far", async () => {
    const { replica, client } = await server();
    const controller = new AbortController();
    await replica.abortAll();
    const response = resumingClient(client, LIMITS).generate(request(), { signal: controller.signal });
    controller.abort(new Error("cancelled"));
    const { tokenIds, stopReason } = await response;
    expect([tokenIds, stopReason]).to.deep.equal([[], "aborted"]);
  });

  it("passes on what a server throws between two pieces", async () => {
    const { replica, client } = await server();
    const response = resumingClient(
      {
        async generate(one, options) {
          if (one.continues === undefined) return { ...aborted, tokenIds: [6], logProbs: [-1], sampledLogProbs: [-1] };
          await replica.dispose();
          return client.generate(one, options);
        },
      },
      LIMITS,
    ).generate(request());
    expect(String(await response.catch((error: unknown) => error))).to.contain("VERL_ROLLOUT_DISPOSED");
  });
});

describe("pieces of a response", () => {
  const piece = (over: Partial<TokenOutput>): TokenOutput => ({ ...aborted, ...over });

  it("have no log-probabilities together where one with tokens has none", () => {
    const joined = joinOutputs([
      piece({ tokenIds: [6, 7], logProbs: undefined }),
      piece({ tokenIds: [8], logProbs: [-1], sampledLogProbs: [-1], stopReason: "stop" }),
    ]);
    expect(joined).not.to.have.property("logProbs");
    expect(joined.tokenIds).to.deep.equal([6, 7, 8]);
  });

  it("say nothing of single tokens where a server knows only the span of one", () => {
    const joined = joinOutputs([
      piece({ tokenIds: [6, 7], minWeightVersion: 1, maxWeightVersion: 2 }),
      piece({ tokenIds: [8], minWeightVersion: 3, maxWeightVersion: 3 }),
    ]);
    expect(joined).not.to.have.property("weightVersions");
    expect([joined.minWeightVersion, joined.maxWeightVersion]).to.deep.equal([1, 3]);
  });

  it("count versions of pieces with tokens alone, and add up what the servers counted", () => {
    const joined = joinOutputs([
      piece({ minWeightVersion: 1, maxWeightVersion: 1, numPreempted: 2 }),
      piece({ tokenIds: [8], minWeightVersion: 5, maxWeightVersion: 5, numPreempted: 1, extraFields: { a: 1 } }),
    ]);
    expect(joined).to.deep.include({
      minWeightVersion: 5,
      maxWeightVersion: 5,
      numPreempted: 3,
      extraFields: { a: 1 },
    });
    expect(joined.weightVersions).to.deep.equal([{ start: 0, end: 1, version: 5 }]);
  });
});
