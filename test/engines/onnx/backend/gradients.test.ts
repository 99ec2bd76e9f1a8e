import { expect } from "chai";
import { parseModelConfig } from "../../../../core/formats/index.js";
import { type ModelOutputs, packSequences, type SequenceBatch } from "../../../../core/plugin.js";
import {
  gradientsOf,
  raggedBatch,
  type TinyOptions,
  tinyBackend,
  tinyOptions,
  weightsOf,
  worstRelativeError,
} from "./fixtures.js";
import { referenceOutputs, type Weights } from "./reference-llama.js";

type Head = "logProb" | "entropy" | "sumPiSquared";
const HEAD: readonly Head[] = ["logProb", "entropy", "sumPiSquared"];

/** A loss that is linear in the outputs, with different weights everywhere. */
function outputWeights(batch: SequenceBatch, outputs: readonly Head[]): ModelOutputs {
  const total = batch.responseOffsets[batch.size];
  const weights: ModelOutputs = {};
  outputs.forEach((name, k) => {
    weights[name] = Float32Array.from({ length: total }, (_, i) => Math.sin(3 * i + k + 1));
  });
  return weights;
}

function weighted(outputs: ModelOutputs, weights: ModelOutputs): number {
  let sum = 0;
  for (const name of HEAD) {
    const values = outputs[name];
    if (values) for (const [i, w] of (weights[name] ?? []).entries()) sum += w * values[i];
  }
  return sum;
}

function configOf(options: TinyOptions) {
  const { model } = tinyOptions(options);
  return parseModelConfig("config" in model ? model.config : {});
}

/** Entries of each tensor that are checked, spread evenly. */
function sample(gradients: Weights): Weights {
  const pick = (values: Float64Array) => values.filter((_, i) => i % Math.ceil(values.length / 12) === 0);
  return new Map([...gradients].map(([name, values]) => [name, pick(values)]));
}

/** Central differences of the float64 reference at the sampled entries. */
function finiteDifferences(options: TinyOptions, weights: Weights, batch: SequenceBatch, loss: ModelOutputs): Weights {
  const config = configOf(options);
  const h = 1e-5;
  const indices = sample(new Map([...weights].map(([name, values]) => [name, values.map((_, i) => i)])));
  const differences = [...weights].map(([name, values]): [string, Float64Array] => {
    const at = (indices.get(name) as Float64Array).map((i) => {
      const x = values[i];
      values[i] = x + h;
      const above = weighted(referenceOutputs(config, weights, batch), loss);
      values[i] = x - h;
      const below = weighted(referenceOutputs(config, weights, batch), loss);
      values[i] = x;
      return (above - below) / (2 * h);
    });
    return [name, at];
  });
  return new Map(differences);
}

const cases: { name: string; options: TinyOptions; temperature: number; outputs: readonly Head[] }[] = [
  { name: "untied, grouped queries", options: {}, temperature: 1, outputs: ["logProb"] },
  { name: "tied, one head per key", options: { tied: true, kvHeads: 4 }, temperature: 0.7, outputs: ["logProb"] },
  { name: "tied, one key head, all outputs", options: { tied: true, kvHeads: 1 }, temperature: 1.5, outputs: HEAD },
  { name: "packed rows", options: { kwargs: { packAbovePadding: 0 } }, temperature: 1, outputs: HEAD },
  {
    name: "chunked head, tied",
    options: { tied: true, kwargs: { logitsMemoryMiB: 1e-3 } },
    temperature: 0.9,
    outputs: HEAD,
  },
];

describe("engines/onnx/backend gradients", () => {
  for (const { name, options, temperature, outputs } of cases) {
    it(`outputs and gradients equal a float64 reference: ${name}`, async () => {
      const backend = await tinyBackend({ kwargs: { packAbovePadding: 1 }, ...options });
      const batch = raggedBatch(temperature);
      const loss = outputWeights(batch, outputs);
      const weights = await weightsOf(backend);

      const actual = await backend.forward(batch, HEAD);
      const expected = referenceOutputs(configOf(options), weights, batch);
      for (const head of HEAD) {
        expect(actual[head]).to.have.lengthOf(expected[head].length);
        actual[head]?.forEach((x, i) => {
          expect(x).to.be.closeTo(expected[head][i], 2e-6, `${head}[${i}]`);
        });
      }
      await backend.backward(batch, loss);
      const gradients = sample(await gradientsOf(backend));
      expect(worstRelativeError(gradients, finiteDifferences(options, weights, batch, loss))).to.be.below(5e-6);
      await backend.dispose();
    });
  }

  it("accumulates over calls until cleared", async () => {
    const backend = await tinyBackend({ tied: true });
    const batch = raggedBatch();
    const loss = outputWeights(batch, ["logProb"]);
    await backend.backward(batch, loss);
    const once = await gradientsOf(backend);
    await backend.backward(batch, loss);
    const twice = await gradientsOf(backend);
    const doubled = new Map([...once].map(([k, g]) => [k, g.map((x) => 2 * x)]));
    expect(worstRelativeError(twice, doubled)).to.be.below(1e-6);
    await backend.zeroGrad();
    expect(await backend.gradNorm()).to.equal(0);
    await backend.dispose();
  });

  it("gives the same embedding gradient on every run, with Zipf-like ids on two threads", async () => {
    const backend = await tinyBackend({ vocabSize: 64, threads: 2 });
    const sequences = 24;
    const batch = packSequences(
      Array.from({ length: sequences }, (_, b) => ({
        promptIds: [1],
        responseIds: Array.from({ length: 40 }, (_, t) => Math.floor(64 / (1 + ((b * 41 + t * 7) % 64))) % 64),
      })),
    );
    const loss = outputWeights(batch, ["logProb"]);
    await backend.backward(batch, loss);
    const first = await gradientsOf(backend);
    for (let run = 0; run < 20; run++) {
      await backend.zeroGrad();
      await backend.backward(batch, loss);
      expect(worstRelativeError(await gradientsOf(backend), first)).to.equal(0);
    }
    await backend.dispose();
  });
});
