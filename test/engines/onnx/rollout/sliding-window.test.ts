import { expect } from "chai";
import fc from "fast-check";
import { RandomStream } from "../../../../core/data/random.js";
import { parseModelConfig } from "../../../../core/formats/index.js";
import { packSequences } from "../../../../core/plugin.js";
import { createOnnxEngine } from "../../../../engines/onnx/engine.js";
import { FAMILY_CONFIGS } from "../families/family-configs.js";
import { randomWeights, request, withOnnxReplica } from "./tiny-model.js";
import { inWaves } from "./waves.js";

/** Families with a window on every layer, on some, and with a soft cap, for which attention takes another path. */
const FAMILIES = ["mistral", "qwen2", "gemma2", "gemma3_text"] as const;
const ATTENTIONS = ["shared", "plain"] as const;

/** Longest sequence whose attention the engine computes under one mask. */
const LENGTH = 255;

const cases = fc.record({
  family: fc.constantFrom(...FAMILIES),
  window: fc.integer({ min: 1, max: 90 }),
  prompts: fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 3 }),
  tokens: fc.integer({ min: 1, max: 54 }),
  piece: fc.constantFrom(1, 7, 33, 64, 2048),
  slots: fc.integer({ min: 1, max: 3 }),
  seed: fc.nat(1000),
});

function promptsOf(lengths: readonly number[], seed: number): number[][] {
  const random = new RandomStream(seed, "prompts");
  return lengths.map((length) => Array.from({ length }, () => random.int(61)));
}

describe("onnx rollout with a cache of the window", () => {
  for (const attention of ATTENTIONS) {
    it(`gives the log-probabilities of the full mask: ${attention} attention, any windows, lengths and pieces`, async () => {
      await fc.assert(
        fc.asyncProperty(cases, async ({ family, window, prompts, tokens, piece, slots, seed }) => {
          const config = { ...FAMILY_CONFIGS[family], sliding_window: window };
          const engine = createOnnxEngine({
            model: { config, initSeed: seed },
            optimizer: null,
            topology: { rank: 0, size: 1, isOutputSource: true },
            threads: 1,
            seed: 1,
            extra: {},
          });
          await using _engine = { [Symbol.asyncDispose]: () => engine.dispose() };
          await engine.initialize();
          const ids = promptsOf(prompts, seed);
          const outputs = await withOnnxReplica(
            {
              model: { config },
              maxModelLen: LENGTH,
              maxNumSeqs: slots,
              responseLength: tokens,
              threads: 2,
              extra: { attention, maxPrefillTokens: piece },
            },
            async (replica) => {
              await replica.receiveWeights(engine.getPerTensorParam(), { version: 2 });
              return Promise.all(ids.map((promptIds, i) => replica.generate(request(`p${i}`, { promptIds }))));
            },
            null,
          );
          const sequences = outputs.map(({ tokenIds }, i) => ({ promptIds: ids[i], responseIds: tokenIds }));
          await using _mode = await engine.evalMode();
          const { logProb } = await engine.inferBatch(packSequences(sequences), ["logProb"]);
          const gaps = outputs
            .flatMap(({ logProbs }) => logProbs ?? [])
            .map((x, i) => Math.abs(x - (logProb as Float32Array)[i]));
          expect(Math.max(...gaps)).to.be.below(1e-4);
        }),
        { numRuns: 20 },
      );
    });
  }

  for (const family of FAMILIES) {
    const config = FAMILY_CONFIGS[family];
    const weights = randomWeights(parseModelConfig(config), 1);
    const random = new RandomStream(9, family);
    // Beyond the first 70 tokens layers with a window of 7 forget; prompts and responses end on either side.
    const requests = Array.from({ length: 9 }, (_, i) => {
      const length = i % 4 === 3 ? 68 : 1 + random.int(150);
      const promptIds = Array.from({ length }, (_, t) => (i % 4 === 3 ? t % 61 : random.int(61)));
      return request(`r${i}`, { promptIds, maxTokens: 2 + random.int(90) });
    });

    for (const attention of ATTENTIONS) {
      it(`draws bitwise the same in any batch, slot and number of threads: ${family}, ${attention} attention`, async () => {
        const options = { model: { config }, maxModelLen: 256, responseLength: 100 };
        const draw = (size: number, threads: number) =>
          inWaves(requests, size, { ...options, threads, extra: { attention } }, weights);
        const alone = await draw(1, 1);
        for (const size of [4, 9]) expect(await draw(size, 2), `batches of ${size}`).to.deep.equal(alone);
      });

      it(`draws the same for equal prompts, also when the first has gone on too far: ${family}, ${attention} attention`, async () => {
        const promptIds = Array.from({ length: 69 }, (_, t) => (5 * t) % 61);
        const equal = Array.from({ length: 5 }, (_, i) =>
          request(`e${i}`, { promptIds, maxTokens: [90, 3, 40, 8, 70][i] }),
        );
        const options = { model: { config }, maxModelLen: 256, responseLength: 100, extra: { attention } };
        const apart = await inWaves(equal, 1, { ...options, threads: 1 }, weights);
        const slots = { ...options, maxNumSeqs: 2, threads: 2 };
        const together = await withOnnxReplica(
          slots,
          (replica) => Promise.all(equal.map((one) => replica.generate(one))),
          weights,
        );
        expect(together).to.deep.equal(apart);
        const inTurn = await withOnnxReplica(
          slots,
          async (replica) => {
            const first = replica.generate(equal[0]);
            await replica.generate(request("clock", { maxTokens: 75 }));
            return [await replica.generate(equal[1]), await first];
          },
          weights,
        );
        expect(inTurn).to.deep.equal([apart[1], apart[0]]);
      });
    }
  }
});
