import { expect } from "chai";
import { hubModels, validateConfig } from "../../../core/config/index.js";
import { codedError, compose, inspect, problems } from "./support.js";

const ACTOR = "actor_rollout_ref.actor";
const ROLLOUT = "actor_rollout_ref.rollout";
const STATIC = `${ACTOR}.use_dynamic_bsz=false`;

async function only(overrides: string[]) {
  const found = await inspect(overrides);
  expect(found.problems).to.have.length(1);
  return found.problems[0];
}
const warnings = async (overrides: string[]) =>
  (await inspect(overrides)).notices.map(({ level, key }) => `${level} ${key}`);

describe("core/config/validate", () => {
  it("accepts every form of reward.on_error that is documented", async () => {
    for (const form of ["fail", "drop_group", "retry", "'retry(3)'", "'retry(3) zero'", "'retry drop_group'"]) {
      expect(await problems([`reward.on_error=${form}`]), form).to.deep.equal([]);
    }
    expect((await only(["reward.on_error=again"])).what).to.contain("must be one of fail, zero, drop_group, retry");
  });

  it("names numbers that are none: NaN and the infinities", async () => {
    for (const [value, shown] of [
      ["NaN", "NaN"],
      ["nan", "NaN"],
      ["inf", "Infinity"],
      ["-inf", "-Infinity"],
    ]) {
      for (const key of ["algorithm.lam", "data.train_batch_size", `${ACTOR}.optim.lr`]) {
        const { what } = (await inspect([`${key}=${value}`])).problems.find((problem) => problem.key === key) ?? {};
        expect(what, `${key}=${value}`).to.match(new RegExp(`^${key} is ${shown}; it must be`));
      }
    }
  });

  it("finds files of the user that do not exist, where it may look", async () => {
    const overrides = [
      "trainer.hooks=[none.ts]",
      "trainer.checkpoint_callback_class='none.ts#Saver'",
      "reward.custom_reward_function.path=package.json",
      "data.custom_cls.path=none.ts",
      `${ROLLOUT}.agent.agent_loop_config_path=none.yaml`,
    ];
    expect(await problems(overrides)).to.deep.equal([]);
    expect(await problems(overrides, { cwd: process.cwd() })).to.deep.equal(
      [
        "trainer.hooks",
        "trainer.checkpoint_callback_class",
        "data.custom_cls.path",
        `${ROLLOUT}.agent.agent_loop_config_path`,
      ].map((key) => `VERL_CONFIG_FILE_MISSING ${key}`),
    );
  });

  it("finds data that is no file: a folder, a device, the empty name", async () => {
    const options = { cwd: process.cwd(), forTraining: true };
    const { problems: found } = await inspect(["data.train_files=[test, /dev/null]", "data.val_files=['']"], options);
    const files = found.filter(({ code }) => code === "VERL_CONFIG_FILE_MISSING").map(({ what }) => what);
    expect(files).to.deep.equal([
      'data.train_files names "test", which is a folder.',
      'data.train_files names "/dev/null", which is a device.',
      "data.val_files names a file with the empty name.",
    ]);
  });

  it("finds data that does not exist, for a training and where files are what its data set reads", async () => {
    const data = ["data.train_files=[package.json, none.jsonl]", "data.val_files=none.parquet"];
    const found = async (overrides: string[], options: object) =>
      (await problems(overrides, { cwd: process.cwd(), ...options })).filter((text) => text.includes("_files"));
    expect(await found(data, { forTraining: true })).to.deep.equal([
      "VERL_CONFIG_FILE_MISSING data.train_files",
      "VERL_CONFIG_FILE_MISSING data.val_files",
    ]);
    expect(await found(data, { forTraining: false })).to.deep.equal([]);
    expect(await found([...data, "data.dataset=mine"], { forTraining: true })).to.deep.equal([]);
    expect(await found([...data, "trainer.val_only=true"], { forTraining: true })).to.deep.equal([
      "VERL_CONFIG_FILE_MISSING data.val_files",
    ]);
  });

  it("says which models will be read from the Hub, where a model is going to be read", async () => {
    const key = "actor_rollout_ref.model.path";
    const told = async (value: string, options = {}) => {
      const { problems, notices } = await inspect([`${key}=${value}`], { cwd: process.cwd(), ...options });
      expect(problems).to.deep.equal([]);
      return notices.filter((notice) => notice.key === key).map(({ message }) => message);
    };
    expect((await told("Qwen/Qwen2.5-0.5B"))[0])
      .to.contain("Qwen/Qwen2.5-0.5B")
      .and.to.contain("Hugging Face Hub");
    for (const path of ["core/config", "./owner/name", "/owner/name", "owner/name/more"]) {
      expect(await told(path), path).to.deep.equal([]);
    }
    expect(await told("owner/name", { withoutModel: true })).to.deep.equal([]);
  });

  it("reads a critic's model from the Hub only where a critic is trained", async () => {
    const keysRead = async (...more: string[]) => {
      const { config } = await inspect(["critic.model.path=owner/critic", ...more]);
      return hubModels(config, process.cwd()).map(({ key }) => key);
    };
    expect(await keysRead()).not.to.include("critic.model.path");
    expect(await keysRead("algorithm.adv_estimator=gae")).to.include("critic.model.path");
  });

  it("takes device and device_map where they change nothing, and says where a device is chosen otherwise", async () => {
    for (const name of ["device", "device_map", "deviceMap"]) {
      const key = `actor_rollout_ref.model.${name}`;
      for (const value of ["null", "auto", "cpu"]) expect(await problems([`${key}=${value}`])).to.deep.equal([]);
      const { code, what } = await only([`${key}='cuda:0'`]);
      expect([code, what]).to.satisfy(
        ([c, w]: string[]) => c === "VERL_CONFIG_UNSUPPORTED" && w.includes("trainer.device"),
      );
    }
  });

  it("tells an unknown name once, not again for every key that follows it by default", async () => {
    const names = { engines: ["onnx"] };
    expect(await problems([`${ACTOR}.strategy=fsdp`], { names })).to.deep.equal([`VERL_CONFIG_NAME ${ACTOR}.strategy`]);
    const both = await problems([`${ACTOR}.strategy=fsdp`, "critic.strategy=fsdp"], { names });
    expect(both).to.deep.equal([`VERL_CONFIG_NAME ${ACTOR}.strategy`, "VERL_CONFIG_NAME critic.strategy"]);
  });

  it("leaves the name of the default agent loop to the list of loops, where there is one", async () => {
    const names = { agentLoops: ["single_turn_agent"] };
    const loop = `${ROLLOUT}.agent.default_agent_loop=mine`;
    const list = `${ROLLOUT}.agent.agent_loop_config_path=loops.yaml`;
    expect(await problems([loop], { names })).to.deep.equal([`VERL_CONFIG_NAME ${ROLLOUT}.agent.default_agent_loop`]);
    expect(await problems([loop, list], { names })).to.deep.equal([]);
  });

  it("says what a key takes when the value has the wrong type", async () => {
    expect((await only(["trainer.total_epochs=many"])).what).to.equal(
      'trainer.total_epochs is "many"; it must be a whole number >= 1.',
    );
    expect((await only([`${ACTOR}.loss_agg_mode=token_mean`])).fix).to.equal("Did you mean token-mean?");
    expect((await only(["trainer={v1: 5}"])).what).to.equal("trainer.v1 is 5; it must be a section.");
    expect((await only([`${ROLLOUT}.top_p=1.5`])).code).to.equal("VERL_CONFIG_TYPE");
  });

  it("T28: explains numbers and switches that are text", async () => {
    const quoted = await only([`${ACTOR}.optim.lr='1e-6'`]);
    expect(quoted.what).to.contain(`${ACTOR}.optim.lr is "1e-6"`);
    expect(quoted.fix).to.equal("Write 1e-6 without quotes.");
    expect((await only(["data.shuffle=yes"])).fix).to.equal("Write true.");
    expect((await only(["data.train_batch_size='1_000'"])).fix).to.equal("Write 1000.");
  });

  it("reports all problems together, each with its code", async () => {
    const overrides = ["trainer.seed=x", "+nope=1", `${ACTOR}.ppo_mini_batch_size=3`, "trainer.nnodes=2"];
    const error = await codedError(async () => validateConfig(await compose(overrides)));
    expect(error.code).to.equal("VERL_CONFIG_INVALID");
    const found = ((error.data?.problems ?? []) as { key: string }[]).map(({ key }) => key);
    expect(found).to.have.members(["trainer.seed", "nope", `${ACTOR}.ppo_mini_batch_size`, "trainer.nnodes"]);
    for (const key of found) expect(error.message).to.contain(key);
  });

  it("T29: shows the arithmetic of batches that do not divide, and the nearest values that do", async () => {
    const uneven = await only(["data.train_batch_size=10", `${ACTOR}.ppo_mini_batch_size=4`]);
    expect(uneven.why).to.contain("10 = 2 x 4 + 2");
    expect(uneven.fix).to.contain("8 or 12").and.to.contain("2 or 5");
    const larger = await only(["data.train_batch_size=4", `${ACTOR}.ppo_mini_batch_size=8`]);
    expect(larger.what).to.contain("8 prompts").and.to.contain("4 prompts");
  });

  it("T29: refuses micro-batches that are larger than the batch or do not divide it", async () => {
    const base = [STATIC, "data.train_batch_size=4", `${ROLLOUT}.n=1`];
    const larger = await only([...base, `${ACTOR}.ppo_micro_batch_size_per_gpu=8`]);
    expect(larger.why).to.contain("(4) x actor_rollout_ref.rollout.n (1) = 4 trajectories");
    const uneven = await only([
      STATIC,
      "data.train_batch_size=8",
      `${ROLLOUT}.n=2`,
      `${ACTOR}.ppo_micro_batch_size_per_gpu=3`,
    ]);
    expect(uneven.why).to.contain("16 = 5 x 3 + 1");
    const eight = [STATIC, "data.train_batch_size=8", `${ROLLOUT}.n=1`, `${ACTOR}.ppo_micro_batch_size_per_gpu=3`];
    expect((await only(eight)).why).to.contain("8 = 2 x 3 + 2");
    expect(uneven.fix).to.contain("2 or 4");
    expect((await only([STATIC])).what).to.contain("is not set");
  });

  it("asks for a micro-batch size wherever packing by tokens is switched off", async () => {
    const off = [`${ACTOR}.use_kl_loss=true`, "actor_rollout_ref.ref.log_prob_use_dynamic_bsz=false"];
    expect(await problems(off)).to.deep.equal([
      "VERL_CONFIG_SIZES actor_rollout_ref.ref.log_prob_micro_batch_size_per_gpu",
    ]);
  });

  it("checks that every training process has something to do", async () => {
    expect(await problems(["trainer.n_gpus_per_node=8"])).to.deep.equal([]);
    const { problems: found } = await inspect([
      "trainer.n_gpus_per_node=8",
      "data.train_batch_size=2",
      `${ACTOR}.ppo_mini_batch_size=1`,
      `${ROLLOUT}.n=4`,
    ]);
    expect(found.map(({ code, key }) => `${code} ${key}`)).to.deep.equal(["VERL_CONFIG_SIZES trainer.n_gpus_per_node"]);
    expect(found[0].why).to.contain("ppo_mini_batch_size (1) x actor_rollout_ref.rollout.n (4) = 4");
  });

  it("checks that the longest sequence fits", async () => {
    expect(await problems([`${ROLLOUT}.max_model_len=1000`])).to.deep.equal([
      `VERL_CONFIG_SIZES ${ROLLOUT}.max_model_len`,
    ]);
    const budget = await inspect([`${ACTOR}.ppo_max_token_len_per_gpu=100`]);
    expect(budget.problems[0].why).to.contain("(512) + actor_rollout_ref.rollout.response_length (512) = 1024 tokens");
    expect(await problems([`${ROLLOUT}.prompt_length=100`])).to.deep.equal([
      `VERL_CONFIG_SIZES ${ROLLOUT}.prompt_length`,
    ]);
  });

  it("refuses what needs more than one machine, or device of a server", async () => {
    expect(await problems(["trainer.nnodes=8", `${ROLLOUT}.tensor_model_parallel_size=2`])).to.deep.equal([
      "VERL_CONFIG_UNSUPPORTED trainer.nnodes",
      `VERL_CONFIG_UNSUPPORTED ${ROLLOUT}.tensor_model_parallel_size`,
    ]);
  });

  it("refuses settings that contradict each other", async () => {
    expect(await problems(["trainer.val_only=true", "trainer.val_before_train=false"])).to.have.length(1);
    expect(await problems(["trainer.resume_mode=resume_path", "trainer.resume_from_path=x"])).to.have.length(1);
    expect(
      await problems(["trainer.resume_mode=resume_path", "trainer.resume_from_path=c/global_step_3/"]),
    ).to.have.length(0);
    expect(await problems(["algorithm.filter_groups.enable=true"])).to.have.length(1);
    expect(await problems([`${ROLLOUT}.val_kwargs.do_sample=true`])).to.have.length(1);
  });

  it("T29: warns of groups without signal, and of KL used twice", async () => {
    expect(await warnings([`${ROLLOUT}.n=1`])).to.deep.equal([`warning ${ROLLOUT}.n`]);
    expect(await warnings([`${ROLLOUT}.temperature=0`])).to.deep.equal([`warning ${ROLLOUT}.temperature`]);
    expect(await warnings(["algorithm.use_kl_in_reward=true", `${ACTOR}.use_kl_loss=true`])).to.deep.equal([
      "notice algorithm.use_kl_in_reward",
    ]);
  });

  it("warns of tool files of data.* that the rollout does not show, for prompts are measured with those that it does", async () => {
    const shown = `${ROLLOUT}.multi_turn.function_tool_path=tools.ts`;
    expect(await warnings([shown])).to.deep.equal([]);
    expect(await warnings([shown, "data.function_tool_path=tools.ts"])).to.deep.equal([]);
    expect(await warnings([shown, "data.function_tool_path=other.ts"])).to.deep.equal([
      "warning data.function_tool_path",
    ]);
    expect(await warnings(["data.tool_config_path=tools.yaml"])).to.deep.equal(["warning data.tool_config_path"]);
  });

  it("warns of a KL loss without a gradient", async () => {
    const kl = (type: string) => warnings([`${ACTOR}.use_kl_loss=true`, `${ACTOR}.kl_loss_type=${type}`]);
    expect(await kl("k1")).to.deep.equal([`warning ${ACTOR}.kl_loss_type`]);
    expect(await kl("k1+")).to.deep.equal([]);
  });

  it("warns of samples of rounded weights that nothing corrects for, with the keys to set", async () => {
    const correction = "algorithm.rollout_correction";
    const rounded = (...more: string[]) => warnings([`${ROLLOUT}.quantization=int8`, ...more]);
    expect(await rounded()).to.deep.equal([`warning ${ROLLOUT}.quantization`]);
    const { notices } = await inspect([`${ROLLOUT}.quantization=int8`]);
    expect(notices[0].message).to.include(`${correction}.rollout_is=token`);
    for (const corrected of [
      `${correction}.rollout_is=token`,
      `${correction}.bypass_mode=true`,
      `${correction}.rollout_rs=token_k1`,
    ]) {
      expect(await rounded(corrected, `${correction}.rollout_rs_threshold=2`), corrected).to.deep.equal([]);
    }
  });

  it("asks for model and data only for training", async () => {
    expect(await problems([])).to.deep.equal([]);
    expect(await problems([], { forTraining: true })).to.deep.equal([
      "VERL_CONFIG_CONFLICT actor_rollout_ref.model.path",
      "VERL_CONFIG_CONFLICT data.train_files",
    ]);
    const given = ["actor_rollout_ref.model.path=m", "data.train_files=t.jsonl"];
    expect(await problems(given, { forTraining: true })).to.deep.equal([]);
    expect(await problems([...given, "trainer.test_freq=5"], { forTraining: true })).to.deep.equal([
      "VERL_CONFIG_CONFLICT data.val_files",
    ]);
  });

  it("checks names against what is registered, and lists it", async () => {
    const names = { trainers: ["sync"], trackers: ["console", "jsonl", "report"] };
    const found = await inspect(["trainer.v1.trainer_mode=snyc", "trainer.logger=[console, wandb]"], { names });
    expect(found.problems.map(({ what }) => what)).to.deep.equal([
      'trainer.logger = "wandb": no such name is registered.',
      'trainer.v1.trainer_mode = "snyc": no such name is registered. Did you mean sync?',
    ]);
    expect(found.problems[0].why).to.equal("Registered: console, jsonl, report.");
  });
});
