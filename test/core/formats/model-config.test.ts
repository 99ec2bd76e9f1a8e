import { expect } from "chai";
import { parameterSpecs, parseModelConfig } from "../../../core/formats/index.js";
import { errorOf, TINY_CONFIG, tinyConfig } from "./support.js";

describe("model configuration", () => {
  it("fills in the defaults of the llama family", () => {
    const config = tinyConfig({ num_key_value_heads: undefined, tie_word_embeddings: undefined });
    expect(config).to.include({
      headDim: 4,
      numKvHeads: 2,
      rmsNormEps: 1e-6,
      ropeTheta: 10000,
      tieWordEmbeddings: false,
    });
  });

  it("reads the rope base of old and new files", () => {
    expect(tinyConfig({ rope_theta: 100000 }).ropeTheta).to.equal(100000);
    const parameters = { rope_theta: 130000, rope_type: "default" };
    expect(tinyConfig({ rope_parameters: parameters, rope_theta: undefined }).ropeTheta).to.equal(130000);
  });

  it("lists every id that ends a turn, generation config first", () => {
    expect(tinyConfig({ eos_token_id: [2, 3] }).eosTokenIds).to.deep.equal([2, 3]);
    const generationConfig = { eos_token_id: [5, 2, 5], pad_token_id: 0 };
    const config = parseModelConfig(TINY_CONFIG, { generationConfig });
    expect(config.eosTokenIds).to.deep.equal([5, 2]);
    expect(config.padTokenId).to.equal(0);
    expect(tinyConfig({ eos_token_id: null, pad_token_id: -1 })).to.deep.include({ eosTokenIds: [], padTokenId: null });
  });

  it("lists the head only when it is not tied", () => {
    const names = (tied: boolean) => parameterSpecs(tinyConfig({ tie_word_embeddings: tied })).map(({ name }) => name);
    expect(names(true)).to.have.length(2 * 9 + 2);
    expect(names(false))
      .to.have.length(2 * 9 + 3)
      .and.include("lm_head.weight");
  });

  const unsupported: [string, Record<string, unknown>, RegExp][] = [
    ["another family", { model_type: "mamba" }, /"mamba"/],
    ["rope scaling", { rope_scaling: { rope_type: "llama3", factor: 8 } }, /rope_scaling of type "llama3"/],
    ["old-style rope scaling", { rope_scaling: { type: "linear", factor: 2 } }, /"linear"/],
    ["new-style rope scaling", { rope_parameters: { rope_type: "yarn", rope_theta: 1 } }, /"yarn"/],
    ["sliding windows", { sliding_window: 4096 }, /sliding_window 4096/],
    ["attention bias", { attention_bias: true }, /attention_bias/],
    ["bias in the MLP", { mlp_bias: true }, /mlp_bias/],
    ["other activations", { hidden_act: "gelu" }, /"gelu"/],
    ["packed weights", { quantization_config: { quant_method: "gptq" } }, /"gptq"/],
  ];
  for (const [what, changes, message] of unsupported) {
    it(`refuses ${what} by name`, async () => {
      const error = await errorOf(() => tinyConfig(changes));
      expect(error.code).to.equal("VERL_FORMATS_MODEL_UNSUPPORTED");
      expect(error.message).to.match(message);
    });
  }

  const invalid: [Record<string, unknown>, RegExp][] = [
    [{ vocab_size: undefined }, /vocab_size is missing/],
    [{ num_hidden_layers: 1e12 }, /num_hidden_layers is 1000000000000/],
    [{ hidden_size: "8" }, /hidden_size is "8"/],
    [{ num_attention_heads: 3 }, /head_dim|multiple/],
    [{ num_key_value_heads: 3 }, /not a multiple/],
    [{ rms_norm_eps: 0 }, /rms_norm_eps is 0/],
    [{ eos_token_id: "</s>" }, /eos_token_id is "<\/s>"/],
  ];
  for (const [changes, message] of invalid) {
    it(`refuses ${JSON.stringify(changes)}`, async () => {
      const error = await errorOf(() => tinyConfig(changes));
      expect(error.code).to.equal("VERL_FORMATS_CONFIG_INVALID");
      expect(error.message).to.match(message);
    });
  }
});
