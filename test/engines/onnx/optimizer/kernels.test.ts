import { expect } from "chai";
import { adamwStep, createAdamWState } from "../../../../core/algorithms/index.js";
import { RandomStream } from "../../../../core/data/index.js";
import { AdamW } from "../../../../engines/onnx/optimizer/adamw.js";
import { PlainKernels } from "../../../../engines/onnx/optimizer/plain-kernels.js";
import { MAX_WASM_ELEMENTS, WasmKernels } from "../../../../engines/onnx/optimizer/wasm-kernels.js";
import { optimizer } from "../backend/fixtures.js";

for (const Kernels of [WasmKernels, PlainKernels]) {
  describe(`engines/onnx/optimizer ${Kernels.name}`, () => {
    it("equal AdamW in float64 over several updates", () => {
      const size = 64;
      const random = new RandomStream(1, "kernels");
      const kernels = new Kernels(size);
      for (let i = 0; i < size; i++) kernels.values[i] = random.normal();
      const expected = Float64Array.from(kernels.values);
      const state = createAdamWState(size);
      const adamw = new AdamW([kernels]);
      for (let step = 0; step < 5; step++) {
        for (let i = 0; i < size; i++) kernels.gradients[i] = random.normal() * 10 ** ((i % 9) - 6);
        const [lr, gradScale] = [0.01 * (step + 1), 0.5];
        adamw.update({ lr, gradScale, optimizer });
        adamwStep(expected, kernels.gradients, state, { ...optimizer, lr }, gradScale);
        expected.forEach((x, i) => {
          expect(kernels.values[i]).to.be.closeTo(
            x,
            2e-6 * (1 + Math.abs(x)),
            `element ${i} after ${step + 1} updates`,
          );
        });
      }
    });

    it("add up squares in float64", () => {
      const kernels = new Kernels(1024);
      for (let i = 0; i < 1024; i++) kernels.gradients[i] = i % 3 === 0 ? 1e15 : 1e-3 * i;
      const expected = kernels.gradients.reduce((sum, x) => sum + x * x, 0);
      expect(kernels.gradientSquareSum()).to.be.closeTo(expected, 1e-12 * expected);
      kernels.gradients[7] = Number.NaN;
      expect(kernels.gradientSquareSum()).to.be.NaN;
      kernels.gradients[7] = Number.POSITIVE_INFINITY;
      expect(kernels.gradientSquareSum()).to.equal(Number.POSITIVE_INFINITY);
    });

    it("do nothing over nothing", () => {
      const kernels = new Kernels(0);
      new AdamW([kernels]).update({ lr: 1, gradScale: 1, optimizer });
      expect(kernels.gradientSquareSum()).to.equal(0);
    });
  });
}

describe("engines/onnx/optimizer shards", () => {
  it("hold a quarter of the largest WebAssembly memory", () => {
    expect(MAX_WASM_ELEMENTS).to.equal(2 ** 28);
  });
});
