import { readdir, readFile } from "node:fs/promises";
import { expect } from "chai";
import { cli } from "../../../cli/support.js";
import { reproducible } from "../support/compare.js";
import { ToyFolder } from "../support/toy-run.js";
import { ONNX_OVERRIDES, TOY_OVERRIDES, writeToyModel } from "../support/toy-task.js";

const MODEL = "actor_rollout_ref.model";
const LORA = [...ONNX_OVERRIDES, `${MODEL}.lora_rank=4`, `${MODEL}.lora_alpha=8`];
const WHOLE = ["trainer.default_local_dir=whole", "trainer.save_freq=2"];
const steps = (n: number) => `trainer.total_training_steps=${n}`;

describe("core/trainer with LoRA", function () {
  this.timeout(60_000);
  let folder: ToyFolder;
  beforeEach(async () => {
    folder = await ToyFolder.create({ prompts: ["b", "c", "d", "e"] });
  });
  afterEach(() => folder[Symbol.asyncDispose]());

  it("learns; sampler and trainer agree; the reference is the actor without its adapter", async () => {
    const { tracker, log } = await folder.train({
      overrides: [
        ...LORA,
        `${MODEL}.lora_rank=8`,
        "actor_rollout_ref.actor.use_kl_loss=true",
        "actor_rollout_ref.actor.optim.lr=0.05",
        "actor_rollout_ref.rollout.n=16",
        steps(12),
      ],
    });
    for (const gap of tracker.series("training/sampler_gap/max")) expect(gap).to.be.below(1e-4);
    const rewards = tracker.series("critic/rewards/mean");
    const mean = (xs: number[]) => xs.reduce((a, b) => a + b, 0) / xs.length;
    expect(mean(rewards.slice(-3))).to.be.above(mean(rewards.slice(0, 3)) + 0.15);
    const kl = tracker.series("actor/kl_loss");
    expect(kl[0]).to.equal(0);
    expect(kl[11]).to.be.above(1e-3);
    expect(log.join("\n")).to.match(/adapter: \d+ trained parameters, \d+ % of the model's \d+/);
  });

  it("saves the adapter alone, and goes on from it to the last bit", async () => {
    await using other = await ToyFolder.create({ prompts: ["b", "c", "d", "e"] });
    const run = [...LORA, "actor_rollout_ref.actor.use_kl_loss=true", "trainer.save_freq=2"];
    const whole = await folder.train({ overrides: [...run, steps(4)] });
    await other.train({ overrides: [...run, steps(2)] });
    const resumed = await other.train({ overrides: [...run, steps(4)] });
    expect(reproducible(resumed.tracker)).to.deep.equal(reproducible(whole.tracker).slice(-2));
    const files = (from: ToyFolder) => readdir(from.at("run", "global_step_4", "actor"), { recursive: true });
    expect((await files(folder)).sort()).to.deep.equal([
      "adapters.json",
      "engine.json",
      "lora_adapter",
      "lora_adapter/adapter_config.json",
      "lora_adapter/adapter_model.safetensors",
      "optimizer.safetensors",
    ]);
    for (const file of ["lora_adapter/adapter_model.safetensors", "optimizer.safetensors"]) {
      const bytes = (from: ToyFolder) => readFile(from.at("run", "global_step_4", "actor", file), "hex");
      expect(await bytes(other), file).to.equal(await bytes(folder));
    }
  });

  it("does not go on from a checkpoint of something else than it trains: it says what would, and --dry-run says the same", async () => {
    const run = [...LORA, "trainer.save_freq=2"];
    await folder.train({ overrides: [...run, steps(2)] });
    await folder.train({ overrides: [...ONNX_OVERRIDES, ...WHOLE, steps(2)] });
    const saved = `${MODEL}.lora_rank=4 ${MODEL}.lora_alpha=8 ${MODEL}.use_rslora=false`;
    for (const [overrides, what, fix] of [
      [[...run, `${MODEL}.lora_rank=8`], "modules; in this run it is of rank 8", `set ${saved},`],
      [[...run, `${MODEL}.use_rslora=true`], "in this run it is of rank 4, alpha 8, rslora", `set ${saved},`],
      [
        [...run, `${MODEL}.target_modules=[q_proj]`],
        "in this run it is of rank 4, alpha 8, ",
        `${saved} and the target_modules`,
      ],
      [ONNX_OVERRIDES, "it holds an adapter of rank 4, alpha 8, and this run trains the whole model", `set ${saved},`],
      [[...run, "actor_rollout_ref.actor.optim.optimizer=SGD"], "written with adamw, this run has sgd", ""],
      [[...ONNX_OVERRIDES, ...WHOLE, `${MODEL}.config.intermediate_size=48`], "this model has [48", ""],
      [[...LORA, ...WHOLE], "it holds a whole model, and this run trains an adapter", `set ${MODEL}.lora_rank=0`],
    ] as const) {
      const { error, log } = await folder.fail({ overrides: [...overrides, steps(4)] });
      expect(error.what).to.include(what);
      expect(error.fix).to.include(fix);
      expect(log.join("\n"), "nothing was started").not.to.include("adapter:");
      const dry = await cli(["train", ...TOY_OVERRIDES, ...overrides, steps(4), "--dry-run", "--json"], {
        cwd: folder.dir,
      });
      expect(dry.code).to.equal(2);
      expect(dry.json<{ error: unknown }>().error).to.deep.equal(JSON.parse(JSON.stringify(error)));
    }
  });

  it("begins with an adapter from a folder, which eval serves as well, merged or not", async () => {
    await writeToyModel(folder.at("model"));
    const model = [`${MODEL}.path=model`, `${MODEL}.config=null`];
    const contents = "actor_rollout_ref.actor.checkpoint.save_contents=[model, hf_model]";
    await folder.train({ overrides: [...LORA, ...model, contents, "trainer.save_freq=3", steps(3)] });
    const actor = "run/global_step_3/actor";
    const evaluate = async (...args: string[]) => {
      const sampling = [
        "actor_rollout_ref.rollout.val_kwargs.n=8",
        "actor_rollout_ref.rollout.val_kwargs.temperature=1",
      ];
      const data = ["data.val_files=[val.jsonl]", "data.max_prompt_length=4", "data.max_response_length=4"];
      const common = ["trainer.device=cpu", "trainer.threads=1", "reward.custom_reward_function.path=reward.mjs"];
      const { json, stderr, code } = await cli(["eval", ...data, ...sampling, ...common, ...args, "--json"], {
        cwd: folder.dir,
      });
      expect(code, stderr).to.equal(0);
      return json<{ metrics: Record<string, number> }>().metrics;
    };
    const merged = await evaluate(`${MODEL}.path=${actor}/huggingface`);
    const adapter = [`${MODEL}.path=model`, `${MODEL}.lora_adapter_path=${actor}/lora_adapter`];
    expect(await evaluate(...adapter)).to.deep.equal(merged);
    expect(await evaluate(`${MODEL}.path=model`)).to.not.deep.equal(merged);

    const overrides = [...ONNX_OVERRIDES, ...adapter, `${MODEL}.config=null`, "trainer.default_local_dir=second"];
    const { notices, tracker } = await folder.train({ overrides: [...overrides, `${MODEL}.lora_alpha=3`, steps(1)] });
    expect(notices.join("\n")).to.include(`${MODEL}.lora_alpha has no effect`);
    expect(tracker.series("training/sampler_gap/max")[0]).to.be.below(1e-4);
  });

  it("trains a critic through an adapter, with another optimizer", async () => {
    const { tracker } = await folder.train({
      overrides: [
        ...LORA,
        "algorithm.adv_estimator=gae",
        "critic.strategy=onnx",
        "critic.model.lora_rank=2",
        "critic.model.target_modules=[q_proj, v_proj]",
        "critic.optim.lr=0.01",
        "critic.optim.optimizer=muon",
        "actor_rollout_ref.actor.optim.optimizer=sgd",
        "actor_rollout_ref.actor.optim.momentum=0.9",
        "trainer.save_freq=4",
        steps(4),
      ],
    });
    const losses = tracker.series("critic/vf_loss");
    expect(losses[3]).to.be.below(losses[0]);
    const files = await readdir(folder.at("run", "global_step_4", "critic"), { recursive: true });
    expect(files).to.include("lora_adapter/adapter_model.safetensors").and.not.include("model.safetensors");
  });

  it("is the same on two processes as on one", async () => {
    await using other = await ToyFolder.create({ prompts: ["b", "c", "d", "e"] });
    const run = [
      ...LORA,
      "actor_rollout_ref.actor.use_kl_loss=true",
      // A gradient that is all rounding would become a whole step of AdamW.
      "actor_rollout_ref.actor.optim.eps=0.01",
      steps(3),
    ];
    const one = await folder.train({ overrides: run });
    const two = await other.train({ overrides: [...run, "trainer.n_gpus_per_node=2"] });
    for (const name of ["actor/loss", "actor/grad_norm", "actor/kl_loss", "actor/entropy", "critic/rewards/mean"]) {
      const [expected, found] = [one.tracker.series(name), two.tracker.series(name)];
      found.forEach((value, i) => {
        expect(value, `${name} of step ${i + 1}`).to.be.closeTo(expected[i], 1e-5 * (1 + Math.abs(expected[i])));
      });
    }
  });

  it("is refused where the engine trains no adapters", async () => {
    const { error } = await folder.fail({ overrides: [`${MODEL}.lora_rank=4`] });
    expect(error.code).to.equal("VERL_TRAINER_ENGINE_UNFIT");
    expect(error.message).to.include("LoRA");
  });

  it("is refused with modules that the model does not have", async () => {
    const { error } = await folder.fail({ overrides: [...LORA, `${MODEL}.target_modules=[c_attn]`] });
    expect(error.code).to.equal("VERL_FORMATS_ADAPTER_TARGETS");
    expect(error.message).to.include("q_proj");
  });
});
