import { expect } from "chai";
import { parseModelConfig } from "../../../../core/formats/index.js";
import { ParameterStore } from "../../../../engines/onnx/backend/parameter-store.js";
import { openOrtRuntime } from "../../../../engines/onnx/runtime/index.js";
import { tinyOptions } from "./fixtures.js";

describe("engines/onnx/backend parameter store", () => {
  it("spreads parameters over shards without overlap", async () => {
    const { model } = tinyOptions();
    const config = parseModelConfig("config" in model ? model.config : {});
    const store = new ParameterStore(config, await openOrtRuntime(), true, 256);
    expect(store.kernels?.length).to.be.above(4);
    store.parameters.forEach((parameter, i) => {
      for (const array of ["values", "gradients", "m", "v"] as const) store.view(array, parameter).fill(i + 1);
    });
    store.parameters.forEach((parameter, i) => {
      const view = store.view("values", parameter);
      expect(view).to.have.lengthOf(parameter.shape.reduce((n, d) => n * d, 1));
      expect(view.every((x) => x === i + 1)).to.equal(true, parameter.name);
    });
    expect(store.count).to.equal(store.parameters.reduce((n, p) => n + p.length, 0));
    store.dispose();
  });
});
