import { expect } from "chai";
import { parameterSpecs, parseModelConfig } from "../../../../core/formats/index.js";
import { ParameterStore, type PlacedParameter } from "../../../../engines/onnx/backend/parameter-store.js";
import { adamw } from "../../../../engines/onnx/optimizer/adamw.js";
import type { ParameterGroup } from "../../../../engines/onnx/optimizer/parameter-groups.js";
import { sgd } from "../../../../engines/onnx/optimizer/sgd.js";
import { openOrtRuntime } from "../../../../engines/onnx/runtime/index.js";
import { tinyOptions } from "./fixtures.js";

describe("engines/onnx/backend parameter store", () => {
  const { model } = tinyOptions();
  const specs = parameterSpecs(parseModelConfig("config" in model ? model.config : {}));
  const moments: ParameterGroup = { rule: adamw, lrScale: 1, decays: true, state: adamw.state };
  const plain: ParameterGroup = { rule: sgd({}), lrScale: 1, decays: true, state: [] };
  const storeOf = async (groupOf: (index: number) => ParameterGroup | null, shardElements?: number) => {
    const placed: PlacedParameter[] = specs.map((spec, i) => ({ ...spec, group: groupOf(i) }));
    return new ParameterStore(await openOrtRuntime(), placed, shardElements);
  };

  it("spreads parameters over shards of their groups without overlap", async () => {
    const store = await storeOf((i) => [moments, plain, null][i % 3], 256);
    expect(store.trained.length).to.be.above(4);
    const arraysOf = (parameter: (typeof store.parameters)[number], i: number) => [
      store.values(parameter),
      ...(i % 3 < 2 ? [store.gradients(parameter)] : []),
      ...["m", "v"].flatMap((name) => store.state(name, parameter) ?? []),
    ];
    store.parameters.forEach((parameter, i) => {
      expect(parameter.name).to.equal(specs[i].name);
      expect(arraysOf(parameter, i)).to.have.lengthOf([4, 2, 1][i % 3]);
      for (const [k, array] of arraysOf(parameter, i).entries()) array.fill(10 * i + k);
    });
    store.parameters.forEach((parameter, i) => {
      arraysOf(parameter, i).forEach((array, k) => {
        expect(array).to.have.lengthOf(parameter.shape.reduce((n, d) => n * d, 1));
        expect(array.every((x) => x === 10 * i + k)).to.equal(true, parameter.name);
      });
    });
    expect(store.count).to.equal(store.parameters.reduce((n, p) => n + p.length, 0));
    store.dispose();
  });

  it("has no memory for gradients and moments of what is frozen", async () => {
    const [frozen, trained] = [await storeOf(() => null), await storeOf(() => moments)];
    expect(frozen.bytes * 4).to.equal(trained.bytes);
    expect(frozen.trained).to.deep.equal([]);
    expect(Object.keys(frozen.fetches)).to.deep.equal([]);
    for (const store of [frozen, trained]) store.dispose();
  });
});
