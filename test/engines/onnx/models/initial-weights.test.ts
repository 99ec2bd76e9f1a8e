import { expect } from "chai";
import { parameterSpecs, parseModelConfig } from "../../../../core/formats/index.js";
import { fillInitialWeights } from "../../../../engines/onnx/models/initial-weights.js";
import { ropeTables } from "../../../../engines/onnx/models/rope-tables.js";

function configOf(tied: boolean) {
  return parseModelConfig({
    model_type: "llama",
    vocab_size: 400,
    hidden_size: 64,
    intermediate_size: 128,
    num_hidden_layers: 2,
    num_attention_heads: 4,
    tie_word_embeddings: tied,
  });
}

function filled(tied: boolean, seed: number, name: string): Float32Array {
  const config = configOf(tied);
  const parameter = parameterSpecs(config).find((p) => p.name === name);
  if (!parameter) throw new Error(name);
  const values = new Float32Array(parameter.shape.reduce((n, d) => n * d, 1));
  fillInitialWeights(config, seed, parameter, values);
  return values;
}

const std = (x: Float32Array) => Math.sqrt(x.reduce((sum, v) => sum + v * v, 0) / x.length);
const layer = (name: string) => `model.layers.1.${name}.weight`;

describe("engines/onnx/models initial weights", () => {
  it("have the documented spread", () => {
    const near = (name: string, expected: number, tied = false) => {
      expect(std(filled(tied, 3, name)) / expected).to.be.closeTo(1, 0.05, name);
    };
    near("model.embed_tokens.weight", 1);
    near("model.embed_tokens.weight", 0.5 / 8, true);
    near("lm_head.weight", 0.5 / 8);
    near(layer("self_attn.q_proj"), 1 / 8);
    near(layer("self_attn.o_proj"), 1 / 8 / 2);
    near(layer("mlp.down_proj"), 1 / Math.sqrt(128 * 4));
    expect(filled(false, 3, layer("input_layernorm")).every((x) => x === 1)).to.equal(true);
  });

  it("depend on the seed and the name alone", () => {
    const name = layer("self_attn.q_proj");
    expect(filled(false, 3, name)).to.deep.equal(filled(true, 3, name));
    expect(filled(false, 4, name)).to.not.deep.equal(filled(false, 3, name));
    expect(filled(false, 3, layer("self_attn.k_proj"))).to.not.deep.equal(filled(false, 3, name));
  });
});

describe("engines/onnx/models rotary tables", () => {
  it("hold cos and sin of position times frequency", () => {
    const { cos, sin, negSin } = ropeTables(configOf(false).ropes[0], 10);
    const angle = 7 * 10000 ** (-3 / 8);
    expect(cos[7 * 8 + 3]).to.be.closeTo(Math.cos(angle), 1e-6);
    expect(sin[7 * 8 + 3]).to.be.closeTo(Math.sin(angle), 1e-6);
    expect([...negSin]).to.deep.equal([...sin].map((x) => -x));
    expect([...cos.subarray(0, 8)]).to.deep.equal(Array(8).fill(1));
  });
});
