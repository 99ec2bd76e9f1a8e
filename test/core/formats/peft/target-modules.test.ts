import { expect } from "chai";
import { chooseModules, linearModules, type ModuleChoice, parseModelConfig } from "../../../../core/formats/index.js";
import { describeModules } from "../../../../core/formats/peft/target-modules.js";
import { FAMILY_CONFIGS } from "../../../engines/onnx/families/family-configs.js";
import { codedError } from "../../config/support.js";

const llama = parseModelConfig(FAMILY_CONFIGS.llama);
const gpt2 = parseModelConfig(FAMILY_CONFIGS.gpt2);
const layers = (...names: string[]) => [0, 1].flatMap((layer) => names.map((name) => `model.layers.${layer}.${name}`));

describe("core/formats target modules", () => {
  const choose = (targetModules: ModuleChoice["targetModules"], excludeModules?: ModuleChoice["excludeModules"]) =>
    chooseModules(llama, { targetModules, excludeModules });

  it("are all linear maps of the layers, and no others, by the name that PEFT has for it", () => {
    const all = linearModules(llama).map(({ name }) => name);
    expect(all).to.have.lengthOf(2 * 7);
    for (const text of ["all-linear", "All-Linear"]) expect(choose(text)).to.deep.equal(all);
    expect(chooseModules(gpt2, { targetModules: "all-linear" })).to.have.lengthOf(2 * 4);
  });

  it("are named by their last parts or in full, in the order of computation", () => {
    const [q, v, down] = ["self_attn.q_proj", "self_attn.v_proj", "mlp.down_proj"];
    expect(choose(["down_proj", "v_proj", "q_proj"])).to.deep.equal(layers(q, v, down));
    expect(choose(["self_attn.q_proj"])).to.deep.equal(layers(q));
    expect(choose(["model.layers.1.mlp.down_proj"])).to.deep.equal(["model.layers.1.mlp.down_proj"]);
  });

  it("match a pattern as a whole", () => {
    expect(choose(".*[qv]_proj")).to.deep.equal(layers("self_attn.q_proj", "self_attn.v_proj"));
    expect(choose("model\\.layers\\.0\\.mlp\\..*")).to.have.lengthOf(3);
  });

  it("are fewer by what is excluded", () => {
    expect(choose("all-linear", ["mlp.gate_proj", "mlp.up_proj", "mlp.down_proj"])).to.have.lengthOf(8);
    expect(choose("all-linear", "model\\.layers\\.1\\..*")).to.have.lengthOf(7);
    expect(choose(".*", ["embed_tokens", "lm_head"])).to.deep.equal(choose("all-linear"));
  });

  for (const [what, target, exclude] of [
    ["a name that no module has", ["q_proj", "c_attn"]],
    ["an excluded name that no module has", "all-linear", ["nothing"]],
    ["the head", ["lm_head"]],
    ["the embedding", ".*"],
    ["a pattern that matches nothing", "q_proj"],
    ["no names", []],
    ["a broken pattern", "(q_proj"],
    ["everything excluded", "all-linear", "model.*"],
  ] satisfies [string, ModuleChoice["targetModules"], ModuleChoice["excludeModules"]?][]) {
    it(`refuse ${what}`, async () => {
      expect((await codedError(() => choose(target, exclude))).code).to.equal("VERL_FORMATS_ADAPTER_TARGETS");
    });
  }

  it("are described by their last parts where these fit no other module", () => {
    expect(describeModules(llama, choose(["v_proj", "q_proj"]))).to.deep.equal(["q_proj", "v_proj"]);
    const one = ["model.layers.1.mlp.down_proj"];
    expect(describeModules(llama, one)).to.deep.equal(one);
    // GPT-2 has a c_proj in attention and one in the MLP.
    const inner = [0, 1].map((layer) => `transformer.h.${layer}.mlp.c_proj`);
    expect(describeModules(gpt2, inner)).to.deep.equal(inner);
  });
});
