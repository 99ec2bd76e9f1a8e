import { expect } from "chai";
import { adamwStep, createAdamWState } from "../../../../core/algorithms/index.js";
import { RandomStream } from "../../../../core/data/index.js";
import { adamw } from "../../../../engines/onnx/optimizer/adamw.js";
import { PlainKernels } from "../../../../engines/onnx/optimizer/plain-kernels.js";
import { maxWasmElements, WasmKernels } from "../../../../engines/onnx/optimizer/wasm-kernels.js";
import { optimizer } from "../backend/fixtures.js";

for (const Kernels of [WasmKernels, PlainKernels]) {
  describe(`engines/onnx/optimizer ${Kernels.name}`, () => {
    it("equal AdamW in float64 over several updates", () => {
      const size = 64;
      const random = new RandomStream(1, "kernels");
      const kernels = new Kernels(size, 2);
      for (let i = 0; i < size; i++) kernels.values[i] = random.normal();
      const expected = Float64Array.from(kernels.values);
      const state = createAdamWState(size);
      for (let step = 0; step < 5; step++) {
        for (let i = 0; i < size; i++) kernels.gradients[i] = random.normal() * 10 ** ((i % 9) - 6);
        const [lr, gradScale] = [0.01 * (step + 1), 0.5];
        const { weightDecay } = optimizer;
        adamw.update({ kernels, parameters: [] }, { steps: step + 1, lr, gradScale, weightDecay, optimizer });
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
      const kernels = new Kernels(1024, 2);
      for (let i = 0; i < 1024; i++) kernels.gradients[i] = i % 3 === 0 ? 1e15 : 1e-3 * i;
      const expected = kernels.gradients.reduce((sum, x) => sum + x * x, 0);
      expect(kernels.gradientSquareSum()).to.be.closeTo(expected, 1e-12 * expected);
      kernels.gradients[7] = Number.NaN;
      expect(kernels.gradientSquareSum()).to.be.NaN;
      kernels.gradients[7] = Number.POSITIVE_INFINITY;
      expect(kernels.gradientSquareSum()).to.equal(Number.POSITIVE_INFINITY);
    });

    it("do nothing over nothing", () => {
      const kernels = new Kernels(0, 2);
      adamw.update({ kernels, parameters: [] }, { steps: 1, lr: 1, gradScale: 1, weightDecay: 0, optimizer });
      kernels.sgd({ gradScale: 1, weightDecay: 0, momentum: 0.9, nesterov: false, lr: 1 });
      kernels.average(0.5);
      expect(kernels.gradientSquareSum()).to.equal(0);
    });
  });
}

describe("engines/onnx/optimizer kernels", () => {
  const pair = (stateArrays: number) => {
    const both = [new WasmKernels(32, stateArrays), new PlainKernels(32, stateArrays)];
    for (const kernels of both) {
      [kernels.values, kernels.gradients, ...kernels.state].forEach((array, a) => {
        const random = new RandomStream(a, "pair");
        for (let i = 0; i < 32; i++) array[i] = random.normal();
      });
    }
    return both;
  };
  const expectSame = ([a, b]: readonly (WasmKernels | PlainKernels)[]) => {
    [a.values, ...a.state].forEach((array, k) => {
      const other = k === 0 ? b.values : b.state[k - 1];
      array.forEach((x, i) => {
        expect(x).to.be.closeTo(other[i], 1e-6, `array ${k}, element ${i}`);
      });
    });
  };

  for (const [name, scalars] of Object.entries({
    "no momentum": { momentum: 0, nesterov: false },
    momentum: { momentum: 0.9, nesterov: false },
    "Nesterov momentum": { momentum: 0.9, nesterov: true },
  })) {
    it(`agree on SGD, ${name}`, () => {
      const both = pair(scalars.momentum === 0 ? 0 : 1);
      for (const kernels of both) kernels.sgd({ gradScale: 0.5, weightDecay: 0.1, lr: 0.3, ...scalars });
      expectSame(both);
    });
  }

  it("agree on moving averages, and move the last array alone", () => {
    const both = pair(3);
    const before = both[0].state.map((array) => array.slice());
    for (const kernels of both) kernels.average(0.25);
    expectSame(both);
    expect(both[0].state.slice(0, 2)).to.deep.equal(before.slice(0, 2));
    expect(both[0].state[2]).to.not.deep.equal(before[2]);
  });

  it("share the largest WebAssembly memory among their arrays", () => {
    expect(maxWasmElements(4)).to.equal(2 ** 28);
    expect(maxWasmElements(5) * 5 * 4).to.be.at.most(2 ** 32);
    expect(maxWasmElements(5) % 16).to.equal(0);
  });
});
