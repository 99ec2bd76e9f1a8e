import { expect } from "chai";
import { parseModelConfig } from "../../../../core/formats/index.js";
import type { TokenOutput } from "../../../../core/rollout/index.js";
import { randomWeights, request, tinyConfig, withOnnxReplica } from "./tiny-model.js";
import { inWaves, mixedRequests } from "./waves.js";

const requests = mixedRequests(33);

describe("onnx rollout: tokens and log-probabilities are bitwise the same", () => {
  for (const attention of ["shared", "plain"]) {
    describe(`with ${attention} attention`, () => {
      let alone: TokenOutput[];
      before(async () => {
        alone = await inWaves(requests, 1, { threads: 1, extra: { attention } });
      });

      for (const threads of [1, 2]) {
        it(`in batches of 1 to 33, in any order, with threads = ${threads}`, async () => {
          for (const size of [1, 2, 3, 8, 33]) {
            const together = await inWaves(requests, size, { threads, extra: { attention } });
            expect(together, `batches of ${size}`).to.deep.equal(alone);
          }
        });
      }

      it("where prompts go in pieces, and close to those of one piece", async () => {
        const extra = { attention, maxPrefillTokens: 16 };
        const pieces = await inWaves(requests, 1, { threads: 1, extra });
        for (const size of [3, 33]) {
          expect(await inWaves(requests, size, { threads: 2, extra }), `batches of ${size}`).to.deep.equal(pieces);
        }
        pieces.forEach(({ tokenIds, logProbs }, i) => {
          expect(tokenIds).to.deep.equal(alone[i].tokenIds);
          logProbs?.forEach((value, t) => {
            expect(value).to.be.closeTo(alone[i].logProbs?.[t] as number, 2e-5);
          });
        });
      });

      it("when all arrive at once and share a few slots", async () => {
        const together: TokenOutput[] = [];
        const options = { maxNumSeqs: 6, maxModelLen: 96, threads: 2, extra: { attention, maxPrefillTokens: 100 } };
        await withOnnxReplica(options, async (replica) => {
          together.push(...(await Promise.all(requests.map((r) => replica.generate(r)))));
        });
        expect(together).to.deep.equal(alone);
      });
    });
  }

  it("in long sequences with more threads than heads", async () => {
    // onnxruntime works on blocks of keys that fill its share of the second-level cache: large heads make them short.
    const config = { ...tinyConfig, num_attention_heads: 2, num_key_value_heads: 1, head_dim: 256 };
    const weights = randomWeights(parseModelConfig(config), 1);
    const long = [0, 1, 2].map((i) => {
      const promptIds = Array.from({ length: 400 + i }, (_, t) => (7 * t + i) % 61);
      return request(`long${i}`, { promptIds, maxTokens: 8 });
    });
    const options = { model: { config }, maxModelLen: 512, responseLength: 8 };
    const [one, ...others] = await Promise.all(
      [
        [1, 1],
        [1, 8],
        [3, 8],
      ].map(([size, threads]) => inWaves(long, size, { ...options, threads }, weights)),
    );
    for (const other of others) expect(other).to.deep.equal(one);
  });
});
