import { expect } from "chai";
import { type ModelOutputs, packSequences } from "../../../../core/plugin.js";
import { OnnxBackend } from "../../../../engines/onnx/backend/onnx-backend.js";
import { FAMILY_CONFIGS } from "../families/family-configs.js";
import { gradientsOf, tinyOptions, worstRelativeError } from "./fixtures.js";

const ids = (count: number, phase: number) => Array.from({ length: count }, (_, i) => (i * 7 + phase) % 61);
const batch = packSequences([
  { promptIds: ids(4, 1), responseIds: ids(15, 2) },
  { promptIds: ids(2, 3), responseIds: ids(9, 4) },
]);
/** Less than the weights of all layers take: 19 queries in blocks of four. */
const BLOCKS = { attentionMemoryMiB: 0.0125 };

async function computed(config: Readonly<Record<string, unknown>>, kwargs: Readonly<Record<string, unknown>>) {
  const backend = new OnnxBackend({ ...tinyOptions({ kwargs }), model: { config, initSeed: 7 } });
  await backend.load();
  const { logProb } = await backend.forward(batch, ["logProb"]);
  const gradients: ModelOutputs = {
    logProb: Float32Array.from({ length: 24 }, (_, i) => Math.sin(3 * i + 1)),
  };
  await backend.backward(batch, gradients);
  const sums = await gradientsOf(backend);
  await backend.dispose();
  return { logProb: Float64Array.from(logProb as Float32Array), sums };
}

describe("engines/onnx/backend attention in blocks", () => {
  for (const [family, config] of Object.entries(FAMILY_CONFIGS)) {
    for (const packAbovePadding of [0, 1]) {
      it(`gives ${family}'s outputs and gradients, ${packAbovePadding === 0 ? "packed" : "padded"}`, async () => {
        const whole = await computed(config, { packAbovePadding });
        const blocks = await computed(config, { packAbovePadding, ...BLOCKS });
        whole.logProb.forEach((value, i) => {
          expect(blocks.logProb[i]).to.be.closeTo(value, 1e-5);
        });
        expect(worstRelativeError(blocks.sums, whole.sums)).to.be.below(2e-5);
      });
    }
  }
});
