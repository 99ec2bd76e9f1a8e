import { expect } from "chai";
import { packSequences } from "../../../core/plugin.js";
import {
  bigramModel,
  createFakeBackend,
  createFakeEngine,
  dataParallelConformance,
  engineConformance,
  FAKE_OPTIMIZER,
  fakeEngineFactory,
  makeRanks,
  runConformance,
  valueTableModel,
} from "../../../testing/index.js";

runConformance(
  "testing/engine fake engine",
  engineConformance(({ optimizer }) => createFakeEngine({ vocabSize: 8, optimizer })),
  { describe, it },
);

const fakeBackend = () => createFakeBackend({ vocabSize: 8 });
runConformance("testing/engine fake backend", dataParallelConformance(fakeBackend), { describe, it });
runConformance("testing/engine fake engine of two ranks", engineConformance(makeRanks(fakeBackend, 2)), {
  describe,
  it,
});

describe("testing/engine table models", () => {
  const batch = packSequences([{ promptIds: [1, 2], responseIds: [3, 0, 3] }], { temperature: 0.8 });

  it("differentiate exactly", () => {
    for (const model of [bigramModel(4), valueTableModel(4)]) {
      const size = model.shape.reduce((n, d) => n * d, 1);
      const parameter = Float32Array.from({ length: size }, (_, i) => Math.sin(i));
      const weights: Readonly<Record<string, number[]>> = {
        logProb: [1, -2, 0.5],
        entropy: [0.3, 1, -1],
        sumPiSquared: [2, 0, 1],
        values: [1, 2, 3],
      };
      const gradients = Object.fromEntries(model.outputs.map((name) => [name, Float32Array.from(weights[name])]));
      const loss = () => {
        const outputs = model.forward(parameter, batch, model.outputs);
        return model.outputs.reduce(
          (sum, name) => sum + weights[name].reduce((s, w, r) => s + w * (outputs[name]?.[r] ?? 0), 0),
          0,
        );
      };
      const gradient = new Float64Array(size);
      model.backward(parameter, batch, gradients, gradient);
      for (let i = 0; i < size; i++) {
        const x = parameter[i];
        parameter[i] = x + 2 ** -7;
        const above = loss();
        parameter[i] = x - 2 ** -7;
        const difference = (above - loss()) / 2 ** -6;
        parameter[i] = x;
        expect(gradient[i]).to.be.closeTo(difference, 1e-3, `${model.name}[${i}]`);
      }
    }
  });

  it("serve critics through the factory", async () => {
    const engine = await fakeEngineFactory("value_model").create({
      model: { config: { vocab_size: 4 }, initSeed: 3 },
      optimizer: FAKE_OPTIMIZER,
      topology: { rank: 0, size: 1, isOutputSource: true },
      threads: 1,
      seed: 0,
      extra: {},
    });
    await engine.initialize();
    await using _mode = await engine.evalMode();
    const { values } = await engine.inferBatch(batch, ["values"]);
    let exported: readonly number[] = [];
    for await (const { data } of engine.getPerTensorParam()) exported = [...(data as Float32Array)];
    expect([...(values ?? [])]).to.deep.equal([exported[2], exported[3], exported[0]]);
  });
});
