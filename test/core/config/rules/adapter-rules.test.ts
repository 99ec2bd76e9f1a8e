import { expect } from "chai";
import { adapterOf } from "../../../../core/trainer/setup/engine-options.js";
import { inspect, problems } from "../support.js";

const MODEL = "actor_rollout_ref.model";

describe("core/config adapters", () => {
  const adapter = async (...overrides: string[]) => {
    const { config } = await inspect(overrides.map((override) => `${MODEL}.${override}`));
    return adapterOf(config!.actor_rollout_ref.model, "/project");
  };
  const notes = async (...overrides: string[]) => {
    const { notices } = await inspect(overrides);
    return notices.filter(({ message }) => message.includes("has no effect")).map(({ key }) => key);
  };

  it("are off unless they have a rank or a folder", async () => {
    expect(await adapter()).to.equal(null);
    expect(await adapter("lora_alpha=8")).to.equal(null);
  });

  it("are told as verl and PEFT tell them", async () => {
    const plain = { rank: 8, alpha: 16, rslora: false, targetModules: "all-linear", excludeModules: null };
    expect(await adapter("lora_rank=8")).to.deep.equal(plain);
    expect(
      await adapter("lora_rank=8", "lora_alpha=32", "target_modules=[q_proj, v_proj]", "exclude_modules=.*0.*"),
    ).to.deep.equal({ ...plain, alpha: 32, targetModules: ["q_proj", "v_proj"], excludeModules: ".*0.*" });
    expect(await adapter("lora_rank=8", "use_rslora=true")).to.deep.equal({ ...plain, rslora: true });
    expect(await adapter("lora_adapter_path=adapters/a")).to.deep.equal({ path: "/project/adapters/a" });
  });

  it("are told what has no effect", async () => {
    expect(await notes(`${MODEL}.lora_alpha=8`)).to.deep.equal([`${MODEL}.lora_alpha`]);
    expect(await notes(`${MODEL}.lora_rank=8`, `${MODEL}.lora_alpha=8`)).to.deep.equal([]);
    expect(
      await notes(`${MODEL}.lora_adapter_path=a`, `${MODEL}.lora_rank=8`, `${MODEL}.target_modules=all-linear`),
    ).to.deep.equal([`${MODEL}.lora_rank`, `${MODEL}.target_modules`]);
    const reference = ["actor_rollout_ref.actor.use_kl_loss=true", "actor_rollout_ref.ref.strategy=onnx"];
    expect(await notes(...reference, `${MODEL}.lora_rank=8`)).to.deep.equal(["actor_rollout_ref.ref.strategy"]);
    expect(await notes(...reference)).to.deep.equal([]);
  });

  it("have neither dropout nor verl's second set of keys", async () => {
    for (const key of [`${MODEL}.lora.rank`, `${MODEL}.lora.dropout`, "critic.model.lora.rank"]) {
      expect(await problems([`${key}=0`])).to.deep.equal([]);
      expect(await problems([`${key}=0.5`])).to.deep.equal([`VERL_CONFIG_UNSUPPORTED ${key}`]);
    }
    expect(await problems([`${MODEL}.lora.merge=true`])).to.deep.equal([]);
  });
});
