import { existsSync } from "node:fs";
import { cp, rename } from "node:fs/promises";
import { expect } from "chai";
import { loadTokenizer } from "../../../core/data/index.js";
import { ToyFolder } from "../../core/trainer/support/toy-run.js";
import { ONNX_OVERRIDES, TOY_OVERRIDES, writeToyModel } from "../../core/trainer/support/toy-task.js";
import { cli } from "../support.js";

const SAVED = [
  "trainer.total_training_steps=1",
  "trainer.save_freq=1",
  "trainer.val_before_train=false",
  "actor_rollout_ref.actor.checkpoint.save_contents=[model,hf_model]",
];
const EXPORT = "run/global_step_1/actor/huggingface";

describe("the model that a checkpoint exports", function () {
  this.timeout(60_000);
  let folder: ToyFolder;
  beforeEach(async () => {
    folder = await ToyFolder.create();
  });
  afterEach(() => folder[Symbol.asyncDispose]());

  async function train(...overrides: string[]): Promise<void> {
    const args = ["train", ...TOY_OVERRIDES, ...ONNX_OVERRIDES, ...SAVED, ...overrides];
    const { code, stderr } = await cli(args, { cwd: folder.dir });
    expect(code, stderr).to.equal(0);
  }

  const json = async (name: string) => JSON.parse(await folder.read(EXPORT, name)) as Record<string, unknown>;

  it("has the run's tokenizer where the model came from a configuration alone, and can be used as it is", async () => {
    await train();
    const files = ["tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "generation_config.json"];
    for (const name of [...files, "chat_template.jinja"]) {
      expect(existsSync(folder.at(EXPORT, name)), name).to.equal(true);
    }
    expect(await json("tokenizer.json")).to.deep.equal(JSON.parse(await folder.read("tokenizer", "tokenizer.json")));
    expect(await json("generation_config.json")).to.include({ eos_token_id: 1, pad_token_id: 0 });
    expect(await json("special_tokens_map.json")).to.include.keys("eos_token", "pad_token");
    const model = `actor_rollout_ref.model.path=${EXPORT}`;
    const lengths = ["data.max_prompt_length=4", "data.max_response_length=4"];
    const { code, stdout, stderr } = await cli(["generate", model, ...lengths, "--prompt", "ab", "--json"], {
      cwd: folder.dir,
    });
    expect(code, stderr).to.equal(0);
    expect(JSON.parse(stdout).responses).to.have.length(1);
  });

  it("is what eval and generate name where the configuration names no model, or one that is none", async () => {
    await train();
    const own = [...TOY_OVERRIDES, ...ONNX_OVERRIDES, "data.val_files=[val.jsonl]"];
    const commands = [["eval"], ["generate", "--prompt", "ab"], ["eval", "actor_rollout_ref.model.path=nowhere"]];
    for (const [command, ...more] of commands) {
      const model = more[0]?.startsWith("actor") ? ["actor_rollout_ref.model.config=null"] : [];
      const { code, stderr } = await cli([command, ...own, ...model, ...more], { cwd: folder.dir });
      expect(code, stderr).to.equal(2);
      expect(stderr).to.include(`fix:   actor_rollout_ref.model.path=${EXPORT}\n`);
    }
    const config = ["actor_rollout_ref.model.config=null", `actor_rollout_ref.model.path=${EXPORT}`];
    const { code, stderr } = await cli(["eval", ...own, ...config], { cwd: folder.dir });
    expect(code, stderr).to.equal(0);
  });

  it("is asked for by name where a checkpoint has none", async () => {
    await train("actor_rollout_ref.actor.checkpoint.save_contents=[model,optimizer,extra]");
    const own = [...TOY_OVERRIDES, ...ONNX_OVERRIDES, "data.val_files=[val.jsonl]"];
    const inside = ["actor_rollout_ref.model.config=null", "actor_rollout_ref.model.path=run/global_step_1/actor"];
    for (const more of [[], inside]) {
      const { code, stderr } = await cli(["eval", ...own, ...more], { cwd: folder.dir });
      expect(code, stderr).to.equal(2);
      expect(stderr).to.include("run/global_step_1 holds").and.include("hf_model]");
      expect(stderr).to.include("trainer.val_only=true trainer.resume_mode=auto");
    }
    await rename(folder.at("run"), folder.at("old"));
    const renamed = ["actor_rollout_ref.model.config=null", "actor_rollout_ref.model.path=old"];
    expect((await cli(["eval", ...own, ...renamed], { cwd: folder.dir })).stderr).to.include("old/global_step_1 holds");
    await rename(folder.at("old"), folder.at("run"));
    const validated = ["trainer.val_only=true", "trainer.resume_mode=auto", "trainer.logger=[console]"];
    const { code, stdout, stderr } = await cli(["train", ...own, ...validated], { cwd: folder.dir });
    expect(code, stderr).to.equal(0);
    expect(stdout).to.match(/val /);
  });

  it("has the tokenizer and the template that it was trained with, not those of the model that it began as", async () => {
    await writeToyModel(folder.at("model"));
    await cp(folder.at("tokenizer"), folder.at("other"), { recursive: true });
    const settings = JSON.parse(await folder.read("other", "tokenizer_config.json"));
    await folder.write("other/tokenizer_config.json", JSON.stringify({ ...settings, model_max_length: 77 }));
    const template = "{{ messages[0]['content'] }}b";
    await train(
      "actor_rollout_ref.model.config=null",
      "actor_rollout_ref.model.path=model",
      "actor_rollout_ref.model.tokenizer_path=other",
      `actor_rollout_ref.model.custom_chat_template="${template}"`,
    );
    expect(await json("tokenizer_config.json")).to.include({ model_max_length: 77, chat_template: template });
    const tokenizer = await loadTokenizer(folder.at(EXPORT));
    expect(tokenizer.renderChat([{ role: "user", content: "a" }])).to.equal("ab");
  });

  it("is written without a tokenizer that is gone, and a warning says so", async () => {
    await folder.write(
      "reward.mjs",
      `import { rmSync } from "node:fs";
      export const compute_score = ({ solution }) => (rmSync("${folder.at("tokenizer")}", { recursive: true, force: true }), solution.length);`,
    );
    const args = ["train", ...TOY_OVERRIDES, ...ONNX_OVERRIDES, ...SAVED];
    const { code, stderr } = await cli(args, { cwd: folder.dir });
    expect(code, stderr).to.equal(0);
    expect(stderr).to.match(/warn: huggingface of the checkpoint is without the run's tokenizer/);
    expect(existsSync(folder.at(EXPORT, "config.json"))).to.equal(true);
  });
});
