import { expect } from "chai";
import { tinyConfig } from "./support.js";

/** Heads of 8: frequencies 1, θ^−¼, θ^−½, θ^−¾. */
const rope = (changes: Record<string, unknown>) => {
  const config = tinyConfig({ head_dim: 8, rope_theta: 10000, max_position_embeddings: 64, ...changes });
  return { ...config.ropes[0], maxPositions: config.maxPositions };
};
const PLAIN = [1, 0.1, 0.01, 0.001];

const near = (actual: readonly number[], expected: readonly number[]) => {
  expect(actual).to.have.length(expected.length);
  actual.forEach((x, i) => {
    expect(x).to.be.closeTo(expected[i], 1e-12);
  });
};

describe("rotary embeddings", () => {
  it("read the base of old and new files", () => {
    near(rope({ rope_theta: 16 }).inverseFrequencies, [1, 0.5, 0.25, 0.125]);
    near(rope({ rope_theta: undefined, rope_parameters: { rope_theta: 81 } }).inverseFrequencies, [
      1,
      1 / 3,
      1 / 9,
      1 / 27,
    ]);
    near(rope({ rope_theta: undefined }).inverseFrequencies, PLAIN);
  });

  it("take the scaling of old files before that of new ones", () => {
    const scaled = rope({
      rope_scaling: { type: "linear", factor: 2 },
      rope_parameters: { rope_type: "linear", factor: 4 },
    });
    near(scaled.inverseFrequencies, [0.5, 0.05, 0.005, 0.0005]);
  });

  it("state a scaling in both spellings, for every version of transformers", () => {
    const parameters = { rope_type: "linear", factor: 4, rope_theta: 16 };
    const { raw } = tinyConfig({ head_dim: 8, rope_parameters: parameters });
    expect(raw).to.deep.include({
      rope_parameters: parameters,
      rope_scaling: { rope_type: "linear", factor: 4 },
      rope_theta: 16,
    });
  });

  it("llama3: high frequencies stay, low ones are divided, those between are blended", () => {
    const scaling = { rope_type: "llama3", factor: 8, low_freq_factor: 1, high_freq_factor: 4 };
    const { inverseFrequencies, magnitude } = rope({
      rope_scaling: { ...scaling, original_max_position_embeddings: 120 },
    });
    const turns = (120 * 0.1) / (2 * Math.PI);
    const kept = (turns - 1) / (4 - 1);
    near(inverseFrequencies, [1, ((1 - kept) * 0.1) / 8 + kept * 0.1, 0.01 / 8, 0.001 / 8]);
    expect(magnitude).to.equal(1);
  });

  it("yarn sharpens attention, by its own factor if it has one", () => {
    const scaling = { rope_type: "yarn", factor: 4, original_max_position_embeddings: 16 };
    expect(rope({ rope_scaling: scaling }).magnitude).to.be.closeTo(0.1 * Math.log(4) + 1, 1e-12);
    expect(rope({ rope_scaling: { ...scaling, attention_factor: 2 } }).magnitude).to.equal(2);
    const both = { ...scaling, mscale: 2, mscale_all_dim: 1 };
    expect(rope({ rope_scaling: both }).magnitude).to.be.closeTo(
      (0.2 * Math.log(4) + 1) / (0.1 * Math.log(4) + 1),
      1e-12,
    );
  });

  it("dynamic scaling changes nothing up to the positions of the model", () => {
    near(rope({ rope_scaling: { type: "dynamic", factor: 4 } }).inverseFrequencies, PLAIN);
  });

  it("longrope takes the short divisors, and sequences no longer than they are for", () => {
    const scaling = { rope_type: "longrope", short_factor: [1, 2, 4, 5], long_factor: [9, 9, 9, 9] };
    const { inverseFrequencies, magnitude, maxPositions } = rope({
      rope_scaling: { ...scaling, original_max_position_embeddings: 16 },
    });
    near(inverseFrequencies, [1, 0.05, 0.0025, 0.0002]);
    expect(magnitude).to.be.closeTo(Math.sqrt(1 + Math.log(4) / Math.log(16)), 1e-12);
    expect(maxPositions).to.equal(16);
    expect(rope({ rope_scaling: scaling })).to.include({ magnitude: 1, maxPositions: 64 });
  });
});
