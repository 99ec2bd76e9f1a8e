import { expect } from "chai";
import { parseModelConfig } from "../../../../core/formats/index.js";
import { randomWeights } from "../rollout/tiny-model.js";
import { inWaves, mixedRequests } from "../rollout/waves.js";
import { FAMILY_CONFIGS } from "./family-configs.js";

const requests = mixedRequests(12);

describe("onnx rollout of every family: draws are bitwise independent of batch and threads", () => {
  for (const [family, config] of Object.entries(FAMILY_CONFIGS)) {
    const weights = randomWeights(parseModelConfig(config), 1);
    for (const attention of ["shared", "plain"]) {
      it(`${family}, ${attention} attention`, async () => {
        const draw = (size: number, threads: number) =>
          inWaves(requests, size, { model: { config }, threads, extra: { attention } }, weights);
        const alone = await draw(1, 1);
        expect(new Set(alone.flatMap(({ tokenIds }) => tokenIds)).size).to.be.above(10);
        for (const size of [5, 12]) expect(await draw(size, 2), `batches of ${size}`).to.deep.equal(alone);
      });
    }
  }
});
