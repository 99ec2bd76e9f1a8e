import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import { charTokenizerFiles } from "../../../core/data/index.js";
import { cli } from "../../cli/support.js";

describe("testing/plugin/fakes-plugin", () => {
  let cwd: string;
  beforeEach(() => {
    cwd = fs.mkdtempSync(path.join(os.tmpdir(), "verl-fakes-"));
    const write = (name: string, content: string) => fs.writeFileSync(path.join(cwd, name), content);
    fs.mkdirSync(path.join(cwd, "node_modules"));
    fs.symlinkSync(process.cwd(), path.join(cwd, "node_modules", "verl-ts"));
    fs.mkdirSync(path.join(cwd, "tokenizer"));
    const files = charTokenizerFiles("ab", { pad: "_", eos: "." });
    const template = { ...files.tokenizerConfig, chat_template: "{{ messages[0]['content'] }}" };
    write("tokenizer/tokenizer.json", JSON.stringify(files.tokenizerJson));
    write("tokenizer/tokenizer_config.json", JSON.stringify(template));
    write("fakes.mjs", `export { fakesPlugin as default } from "verl-ts/testing";\n`);
    write("reward.mjs", "export const compute_score = ({ solution }) => (solution.startsWith('b') ? 1 : 0);\n");
    const row = { prompt: [{ role: "user", content: "a" }], data_source: "x", reward_model: { ground_truth: "b" } };
    write("train.jsonl", `${JSON.stringify(row)}\n${JSON.stringify(row)}\n`);
  });
  afterEach(() => fs.rmSync(cwd, { recursive: true }));

  it("lets a whole run go through without a model: it learns, saves and resumes", async () => {
    const run = (...more: string[]) =>
      cli(
        [
          "train",
          "--json",
          "plugins=[./fakes.mjs]",
          "actor_rollout_ref.actor.strategy=fake",
          "actor_rollout_ref.rollout.name=fake",
          "actor_rollout_ref.model.config={vocab_size: 5}",
          "actor_rollout_ref.model.tokenizer_path=tokenizer",
          "actor_rollout_ref.actor.optim.lr=0.3",
          "data.train_files=train.jsonl",
          "data.train_batch_size=2",
          "data.max_prompt_length=2",
          "data.max_response_length=2",
          "reward.custom_reward_function.path=reward.mjs",
          "trainer.save_freq=2",
          ...more,
        ],
        { cwd },
      );
    const { code, stdout, stderr } = await run("trainer.total_training_steps=8");
    expect(code, stdout + stderr).to.equal(0);
    const rewards = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
      .filter(({ event }) => event === "step")
      .map(({ data }) => data["critic/score/mean"] as number);
    expect(rewards).to.have.length(8);
    expect(rewards[7]).to.be.greaterThan(rewards[0]);
    const resumed = await run("trainer.total_training_steps=9");
    expect(resumed.code).to.equal(0);
    expect(resumed.stderr).to.contain("resumed step 8");
  });
});
