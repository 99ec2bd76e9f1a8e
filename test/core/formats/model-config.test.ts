import path from "node:path";
import { expect } from "chai";
import { MODEL_FAMILIES, parameterSpecs, parseModelConfig } from "../../../core/formats/index.js";
import { errorOf, TINY_CONFIG, tinyConfig } from "./support.js";

const { tie_word_embeddings: _, ...untold } = TINY_CONFIG;
const typed = (modelType: string, changes: object = {}) =>
  parseModelConfig({ ...untold, model_type: modelType, ...changes });

describe("model configuration", () => {
  it("fills in the defaults of the llama family, and states them for export", () => {
    const config = tinyConfig({ num_key_value_heads: undefined, tie_word_embeddings: undefined });
    expect(config).to.deep.include({
      headDim: 4,
      numKvHeads: 2,
      norm: { kind: "rms", epsilon: 1e-6 },
      activation: "silu",
      tieWordEmbeddings: false,
    });
    expect(config.layers).to.deep.equal(Array(2).fill({ window: null, rope: 0, attentionScale: 0.5 }));
    expect(config.raw).to.include({ head_dim: 4, rms_norm_eps: 1e-6, rope_theta: 10000, tie_word_embeddings: false });
  });

  it("names what stands there in place of a size that is missing", async () => {
    const { hidden_size, ...others } = TINY_CONFIG as Record<string, unknown>;
    const error = await errorOf(() => parseModelConfig({ ...others, hidden_sise: hidden_size }));
    expect(error.message).to.include("hidden_size is missing; there is a hidden_sise");
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

  describe("knows what is particular to a family", () => {
    it("mistral: a window on every layer, unless it is null", () => {
      const windows = (changes: object) => typed("mistral", changes).layers.map(({ window }) => window);
      expect(windows({})).to.deep.equal([4096, 4096]);
      expect(windows({ sliding_window: 7 })).to.deep.equal([7, 7]);
      expect(windows({ sliding_window: null })).to.deep.equal([null, null]);
    });

    it("qwen2: biases, and windows from a layer on where they are used", () => {
      const windowed = { use_sliding_window: true, sliding_window: 7, max_window_layers: 1 };
      expect(typed("qwen2").biases).to.deep.equal({ qkv: true, attentionOut: false, mlp: false });
      expect(typed("qwen2", { sliding_window: 7 }).layers[1].window).to.equal(null);
      expect(typed("qwen2", windowed).layers.map(({ window }) => window)).to.deep.equal([null, 7]);
      const named = { ...windowed, layer_types: ["sliding_attention", "full_attention"] };
      expect(typed("qwen2", named).layers.map(({ window }) => window)).to.deep.equal([7, null]);
    });

    it("qwen3: heads of 128 and norms of queries and keys", () => {
      const config = typed("qwen3");
      expect(config.headDim).to.equal(128);
      expect(parameterSpecs(config).map(({ name, shape }) => [name, ...shape])).to.deep.include.members([
        ["model.layers.0.self_attn.q_norm.weight", 128],
        ["model.layers.0.self_attn.k_norm.weight", 128],
      ]);
    });

    it("gemma: tied, scaled embeddings, 1 + w, and the tanh approximation whatever it calls it", () => {
      expect(typed("gemma", { hidden_act: "gelu", head_dim: 4 })).to.deep.include({
        activation: "geluTanh",
        embeddingScale: Math.fround(Math.sqrt(8)),
        norm: { kind: "rmsPlusOne", epsilon: 1e-6 },
        tieWordEmbeddings: true,
      });
    });

    it("gemma2: soft caps, every other layer with a window, scale by query_pre_attn_scalar", () => {
      const config = typed("gemma2", { head_dim: 4, num_key_value_heads: 2, query_pre_attn_scalar: 16 });
      expect(config).to.include({ attentionSoftcap: 50, logitSoftcap: 30 });
      expect(config.layers.map(({ window, attentionScale }) => [window, attentionScale])).to.deep.equal([
        [4096, 0.25],
        [null, 0.25],
      ]);
      expect(typed("gemma2", { attn_logit_softcapping: null }).attentionSoftcap).to.equal(null);
    });

    it("gemma3: layers with a window have a rotary embedding of their own", () => {
      const changes = { sliding_window_pattern: 2, rope_theta: 500, rope_scaling: { rope_type: "linear", factor: 2 } };
      const config = typed("gemma3_text", { head_dim: 4, ...changes });
      expect(config.layers.map(({ window, rope }) => [window, rope])).to.deep.equal([
        [4096, 1],
        [null, 0],
      ]);
      const [global, local] = config.ropes.map(({ inverseFrequencies }) => inverseFrequencies);
      expect(global).to.deep.equal([0.5, 500 ** -0.5 / 2]);
      expect(local).to.deep.equal([1, 10000 ** -0.5]);
    });

    it("gpt2: its own keys, fused projections stored transposed", () => {
      const config = parseModelConfig({
        model_type: "gpt2",
        vocab_size: 11,
        n_embd: 8,
        n_head: 2,
        n_layer: 2,
        n_positions: 32,
        scale_attn_by_inverse_layer_idx: true,
      });
      expect(config).to.include({ hiddenSize: 8, intermediateSize: 32, maxPositions: 32, tieWordEmbeddings: true });
      expect(config.layers.map(({ rope, attentionScale }) => [rope, attentionScale])).to.deep.equal([
        [null, 0.5],
        [null, 0.25],
      ]);
      expect(parameterSpecs(config).map(({ name, shape }) => [name, ...shape])).to.deep.include.members([
        ["transformer.wpe.weight", 32, 8],
        ["transformer.h.1.attn.c_attn.weight", 8, 24],
        ["transformer.h.1.attn.c_attn.bias", 24],
        ["transformer.ln_f.bias", 8],
      ]);
    });

    it("minicpm: factors of embeddings, residual stream and logits", () => {
      const config = typed("minicpm", { scale_emb: 12, scale_depth: 1.4, dim_model_base: 2 });
      expect(config).to.include({ embeddingScale: 12, residualScale: 1.4 / Math.sqrt(2), logitScale: 0.25 });
    });
  });

  describe("gives a model another head", () => {
    const headOf = (raw: object, head: "values" | "scores") => {
      const config = parseModelConfig({ ...TINY_CONFIG, ...raw }, { head });
      return parameterSpecs(config)
        .slice(-2)
        .map(({ name, shape }) => [name, ...shape]);
    };

    it("values: one number per token with a bias, named as transformers does", () => {
      const head = [
        ["score.weight", 1, 8],
        ["score.bias", 1],
      ];
      expect(headOf({}, "values")).to.deep.equal(head);
      expect(headOf({ tie_word_embeddings: false }, "values")).to.deep.equal(head);
      expect(headOf({ token_classification_bias: false }, "values")[1]).to.deep.equal(["score.weight", 1, 8]);
      const gpt2 = { model_type: "gpt2", n_embd: 8, n_head: 2, n_layer: 1 };
      expect(headOf(gpt2, "values")[0]).to.deep.equal(["classifier.weight", 1, 8]);
    });

    it("scores: as many labels as the file names, or means", () => {
      const labels = (raw: object) => headOf(raw, "scores")[1];
      expect(labels({})).to.deep.equal(["score.weight", 1, 8]);
      expect(labels({ id2label: { 0: "a", 1: "b", 2: "c" } })).to.deep.equal(["score.weight", 3, 8]);
      expect(labels({ architectures: ["LlamaForSequenceClassification"] })).to.deep.equal(["score.weight", 2, 8]);
    });
  });

  const unsupported: [string, Record<string, unknown>, RegExp][] = [
    [
      "another family, naming those that are supported",
      { model_type: "mamba" },
      /model_type "mamba"[\s\S]*gpt2, llama/,
    ],
    ["rope scaling of another kind", { rope_scaling: { rope_type: "foo" } }, /rope_scaling.rope_type "foo"[\s\S]*yarn/],
    ["old-style rope scaling of another kind", { rope_scaling: { type: "foo" } }, /rope_scaling.type "foo"/],
    ["an embedding by layer where the family has one", { rope_parameters: { full_attention: {} } }, /"full_attention"/],
    ["partial rotary embeddings", { rope_parameters: { partial_rotary_factor: 0.5 } }, /partial_rotary_factor 0.5/],
    ["sliding windows where the family has none", { sliding_window: 4096 }, /sliding_window 4096/],
    [
      "other kinds of layers",
      { layer_types: ["full_attention", "linear_attention"] },
      /layer_types "linear_attention"/,
    ],
    ["activations it cannot compute", { hidden_act: "xielu" }, /hidden_act "xielu"[\s\S]*silu/],
    ["packed weights", { quantization_config: { quant_method: "gptq" } }, /quantization_config.*gptq/],
    ["experts", { num_local_experts: 8 }, /num_local_experts 8/],
    ["latent attention", { kv_lora_rank: 16 }, /kv_lora_rank 16/],
    ["biases where the family has none", { model_type: "mistral", attention_bias: true }, /attention_bias true/],
    ["soft caps where the family has none", { final_logit_softcapping: 30 }, /final_logit_softcapping 30/],
    ["attention in both directions", { model_type: "gemma3_text", use_bidirectional_attention: true }, /bidirectional/],
  ];
  for (const [what, changes, message] of unsupported) {
    it(`refuses ${what}`, async () => {
      const error = await errorOf(() => tinyConfig(changes));
      expect(error.code).to.equal("VERL_FORMATS_MODEL_UNSUPPORTED");
      expect(String(error)).to.match(message);
    });
  }

  it("says of packed weights what is read, and how to get there", async () => {
    const error = await errorOf(() => tinyConfig({ quantization_config: { quant_method: "gptq", bits: 4 } }));
    expect(error.why).to.match(/F32, F16, BF16.*GGUF.*"gptq"/);
    expect(error.fix).to.match(/GGUF.*Q4_K.*dequantize\(\)/);
  });

  it("says which feature a key stands for, and when it is off", async () => {
    const reasons = { num_experts: /experts.*absent/, partial_rotary_factor: /partial rotary.*absent or 1/ };
    for (const [key, reason] of Object.entries(reasons)) {
      const { why, fix } = await errorOf(() => tinyConfig({ [key]: 0.5 }));
      expect(why).to.match(reason).and.not.include("null");
      expect(fix).to.include("docs/Guide/models.md");
    }
  });

  it("lets features be that are present and off", () => {
    tinyConfig({ sliding_window: 4096, use_sliding_window: false });
    tinyConfig({
      num_experts: 0,
      quantization_config: null,
      partial_rotary_factor: 1,
      layer_types: ["full_attention"],
    });
    tinyConfig({ attn_logit_softcapping: null, no_rope_layers: [] });
  });

  const invalid: [Record<string, unknown>, RegExp][] = [
    [{ vocab_size: undefined }, /vocab_size is missing/],
    [{ num_hidden_layers: 1e12 }, /num_hidden_layers is 1000000000000/],
    [{ hidden_size: "8" }, /hidden_size is "8"/],
    [{ num_attention_heads: 3 }, /head_dim|multiple/],
    [{ num_key_value_heads: 3 }, /not a multiple/],
    [{ rms_norm_eps: 0 }, /rms_norm_eps is 0/],
    [{ head_dim: 3 }, /head_dim 3 is odd/],
    [{ eos_token_id: "</s>" }, /eos_token_id is "<\/s>"/],
    [{ attention_bias: "yes" }, /attention_bias is "yes"/],
    [{ rope_scaling: { rope_type: "linear" } }, /rope_scaling.factor is missing/],
    [{ rope_scaling: 4 }, /rope_scaling is 4/],
    [{ model_type: "qwen2", num_key_value_heads: 2, layer_types: ["full_attention"] }, /layer_types is .* a list of 2/],
    [{ model_type: "gpt2", n_embd: 8, n_head: 3 }, /n_embd 8 is not a multiple of n_head 3/],
  ];
  for (const [changes, message] of invalid) {
    it(`refuses ${JSON.stringify(changes)}`, async () => {
      const error = await errorOf(() => tinyConfig(changes));
      expect(error.code).to.equal("VERL_FORMATS_CONFIG_INVALID");
      expect(error.message).to.match(message);
    });
  }

  it("blames generation_config.json for what stands there", async () => {
    const options = { generationConfig: { eos_token_id: "x" }, where: path.join("m", "config.json") };
    const { where, fix } = await errorOf(() => parseModelConfig(TINY_CONFIG, options));
    expect(where).to.equal(path.join("m", "generation_config.json"));
    expect(fix).to.include("generation_config.json");
  });

  it("knows a family by its class where a file names no type", () => {
    const { model_type: _type, ...untyped } = TINY_CONFIG;
    const config = parseModelConfig({ ...untyped, architectures: ["MiniCPMForCausalLM"], scale_emb: 12 });
    expect(config).to.include({ modelType: "minicpm", embeddingScale: 12 });
  });

  it("has every family once", () => {
    const types = MODEL_FAMILIES.map(({ modelType }) => modelType);
    expect(new Set(types).size).to.equal(types.length);
  });
});
