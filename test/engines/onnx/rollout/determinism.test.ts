import { expect } from "chai";
import type { TokenOutput } from "../../../../core/rollout/index.js";
import { withOnnxReplica } from "./tiny-model.js";
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
});
