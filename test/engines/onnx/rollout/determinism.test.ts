import { expect } from "chai";
import { RandomStream } from "../../../../core/data/random.js";
import type { GenerateRequest, TokenOutput } from "../../../../core/rollout/index.js";
import { request, withOnnxReplica } from "./tiny-model.js";

const random = new RandomStream(5, "requests");

/**
 * 33 requests: prompts of 1 to 70 tokens (33 and 65 fill attention's blocks of 32 queries and one more), some of them
 * equal, different budgets and distributions.
 */
const requests: GenerateRequest[] = Array.from({ length: 33 }, (_, i) => {
  const length = i % 3 === 0 ? [1, 2, 33, 65][i % 4] : 1 + random.int(70);
  const promptIds = i % 8 === 7 ? [5, 6, 7] : Array.from({ length }, () => random.int(61));
  const truncation = [{}, { topP: 0.9 }, { topK: 7 }, { temperature: 0.7 }][i % 4];
  return request(`r${i}`, { promptIds, maxTokens: 1 + random.int(8), ...truncation });
});

/** In waves of `size`, in an order of its own. */
async function inWaves(size: number, order: readonly number[], options: object): Promise<TokenOutput[]> {
  const outputs: TokenOutput[] = [];
  await withOnnxReplica({ maxNumSeqs: size, maxModelLen: 96, ...options }, async (replica) => {
    for (let at = 0; at < order.length; at += size) {
      const wave = order.slice(at, at + size);
      const drawn = await Promise.all(wave.map((i) => replica.generate(requests[i])));
      wave.forEach((i, k) => {
        outputs[i] = drawn[k];
      });
    }
  });
  return outputs;
}

describe("onnx rollout: tokens and log-probabilities are bitwise the same", () => {
  for (const attention of ["shared", "plain"]) {
    describe(`with ${attention} attention`, () => {
      let alone: TokenOutput[];
      const inOrder = requests.map((_, i) => i);
      before(async () => {
        alone = await inWaves(1, inOrder, { threads: 1, extra: { attention } });
      });

      for (const threads of [1, 2]) {
        it(`in batches of 1 to 33, in any order, with threads = ${threads}`, async () => {
          for (const size of [1, 2, 3, 8, 33]) {
            const order = new RandomStream(size, "order").shuffled(inOrder);
            const together = await inWaves(size, order, { threads, extra: { attention } });
            expect(together, `batches of ${size}`).to.deep.equal(alone);
          }
        });
      }

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
