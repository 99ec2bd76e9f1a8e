import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { type ModelConfig, openModel } from "../../../../core/formats/index.js";
import { errorOf, withFolder } from "../support.js";
import { f32, f32Tensor, ggufBytes, type MetadataValue, text, u32 } from "./gguf-bytes.js";
import { tinyGgufTensors, tinyMetadata } from "./tiny-gguf.js";

/** The configuration of the tiny model with other metadata and small tensors added; its heads have two frequencies. */
function read(
  changes: Readonly<Record<string, MetadataValue>>,
  tensors: Readonly<Record<string, number[]>> = {},
): Promise<ModelConfig> {
  return withFolder(async (folder) => {
    const path = join(folder, "model.gguf");
    const added = Object.entries(tensors).map(([name, values]) =>
      f32Tensor(name, [values.length], Float32Array.from(values)),
    );
    await writeFile(path, ggufBytes(tinyMetadata(changes), [...tinyGgufTensors(), ...added]));
    const model = await openModel(path);
    await model.close();
    return model.config;
  });
}

const scaling = (type: string, others: Readonly<Record<string, MetadataValue>> = {}) => ({
  "llama.rope.scaling.type": text(type),
  ...Object.fromEntries(Object.entries(others).map(([key, value]) => [`llama.rope.scaling.${key}`, value])),
});

describe("rotary embeddings of GGUF files", () => {
  it("have llama.cpp's base where the file names none", async () => {
    const { ropes } = await read({ "llama.rope.freq_base": f32(250) });
    expect(ropes[0].inverseFrequencies).to.deep.equal([1, 250 ** -0.5]);
  });

  it("are scaled linearly, under both names of the factor, unless the type is none", async () => {
    for (const changes of [scaling("linear", { factor: f32(4) }), { "llama.rope.scale_linear": f32(4) }]) {
      expect((await read(changes)).ropes[0].inverseFrequencies[0]).to.equal(0.25);
    }
    expect((await read(scaling("none", { factor: f32(4) }))).ropes[0].inverseFrequencies[0]).to.equal(1);
  });

  it("are scaled by YaRN", async () => {
    const changes = scaling("yarn", { factor: f32(4), original_context_length: u32(32) });
    const { ropes, raw } = await read(changes);
    expect(ropes[0].magnitude).to.be.closeTo(1 + 0.1 * Math.log(4), 1e-12);
    expect(raw.rope_scaling).to.deep.equal({ rope_type: "yarn", factor: 4, original_max_position_embeddings: 32 });
    const sharper = await read({ ...changes, "llama.rope.scaling.attn_factor": f32(0.5) });
    expect(sharper.ropes[0].magnitude).to.be.closeTo(0.5 + 0.05 * Math.log(4), 1e-12);
  });

  it("are scaled by LongRoPE up to the original length", async () => {
    const factors = { "rope_factors_short.weight": [1, 2], "rope_factors_long.weight": [4, 8] };
    const config = await read(
      scaling("longrope", { original_context_length: u32(16), attn_factor: f32(1.25) }),
      factors,
    );
    expect(config.ropes[0].inverseFrequencies).to.deep.equal([1, 100000 ** -0.5 / 2]);
    expect(config.ropes[0].magnitude).to.equal(1.25);
    expect(config.maxPositions).to.equal(16);
    expect((await errorOf(() => read(scaling("longrope")))).code).to.equal("VERL_FORMATS_GGUF_INVALID");
  });

  it("are Llama 3's where the divisors are", async () => {
    // The second frequency turns 4.12 times in 8192 tokens: above 4 it is kept, below 1 it is divided by the factor.
    const { raw } = await read({ "llama.rope.freq_base": f32(1e9) }, { "rope_freqs.weight": [1, 8] });
    expect(raw.rope_scaling).to.include({ rope_type: "llama3", factor: 8, original_max_position_embeddings: 8192 });
  });

  it("keep divisors of another origin", async () => {
    const { ropes, maxPositions } = await read({}, { "rope_freqs.weight": [1, 3] });
    expect(ropes[0].inverseFrequencies).to.deep.equal([1, 100000 ** -0.5 / 3]);
    expect(ropes[0].magnitude).to.equal(1);
    expect(maxPositions).to.equal(64);
    expect((await read({}, { "rope_freqs.weight": [1, 1] })).raw.rope_scaling).to.equal(undefined);
  });

  const refused: [string, Readonly<Record<string, MetadataValue>>, Readonly<Record<string, number[]>>?][] = [
    ["yarn_log_multiplier", scaling("yarn", { factor: f32(4), yarn_log_multiplier: f32(0.1) })],
    ["attn_factor", scaling("linear", { attn_factor: f32(2) })],
    ["rope_freqs.weight beside", scaling("yarn", { factor: f32(4) }), { "rope_freqs.weight": [1, 2] }],
  ];
  for (const [what, changes, tensors] of refused) {
    it(`are refused with ${what}`, async () => {
      const error = await errorOf(() => read(changes, tensors));
      expect(error.code).to.equal("VERL_FORMATS_MODEL_UNSUPPORTED");
      expect(error.message).to.include(what);
    });
  }

  it("are refused with as many divisors as there are no frequencies", async () => {
    expect((await errorOf(() => read({}, { "rope_freqs.weight": [1, 2, 3] }))).code).to.equal(
      "VERL_FORMATS_CONFIG_INVALID",
    );
  });
});
