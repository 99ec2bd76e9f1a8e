import { readdir, readFile } from "node:fs/promises";
import { expect } from "chai";
import { FakeHub } from "../../core/formats/hub/fake-hub.js";
import { ToyFolder } from "../../core/trainer/support/toy-run.js";
import { TOY_MODEL, writeToyModel } from "../../core/trainer/support/toy-task.js";
import { cli } from "../support.js";

describe("cli/runs/generate-command", () => {
  let folder: ToyFolder;
  before(async () => {
    folder = await ToyFolder.create({ prompts: ["a", "b", "cd"] });
    await writeToyModel(folder.at("model"));
  });
  after(() => folder[Symbol.asyncDispose]());

  const env = { HF_HUB_OFFLINE: "1" };
  const generate = (...args: string[]) => cli(["generate", ...TOY_MODEL, ...args], { cwd: folder.dir, env });
  const lines = (text: string) =>
    text
      .trim()
      .split("\n")
      .map(
        (line) => JSON.parse(line) as { prompt: { content: string }[]; responses: string[]; stop_reasons: string[] },
      );

  it("answers a prompt with the weights on disk", async () => {
    const { code, stdout, stderr } = await generate("--prompt", "ab");
    expect(code, stderr).to.equal(0);
    expect(stdout).to.match(/^[a-l]{0,4}\n$/);
    expect((await generate("--prompt", "ab")).stdout, "draws depend on the seed alone").to.equal(stdout);
  });

  it("answers with a model of the Hugging Face Hub, downloaded once", async () => {
    const names = await readdir(folder.at("model"));
    const files = await Promise.all(names.map(async (name) => [name, await readFile(folder.at(`model/${name}`))]));
    const hub = await FakeHub.start(Object.fromEntries(files));
    const env = { HF_ENDPOINT: hub.endpoint, HF_HOME: folder.at("home") };
    const args = ["generate", ...TOY_MODEL, "actor_rollout_ref.model.path=org/tiny", "--prompt", "ab"];
    const { code, stdout, stderr } = await cli(args, { cwd: folder.dir, env });
    await hub.stop();
    expect(code, stderr).to.equal(0);
    expect(stdout).to.equal((await generate("--prompt", "ab")).stdout);
    expect(stderr)
      .to.include("read from the Hugging Face Hub")
      .and.include("downloading model.safetensors of org/tiny");
    const offline = await cli(args, { cwd: folder.dir, env: { ...env, HF_HUB_OFFLINE: "1" } });
    expect(offline.stdout).to.equal(stdout);
    expect(offline.stderr).to.not.include("downloading");
  });

  it("says nothing of training, for which one sample would be too few", async () => {
    const { stderr } = await generate("--prompt", "ab", "actor_rollout_ref.rollout.n=1");
    expect(stderr).to.equal("");
  });

  it("answers as often as rollout.n says, differently", async () => {
    const { json } = await generate("--prompt", "ab", "actor_rollout_ref.rollout.n=4", "--json");
    const { responses, stop_reasons } = json<{ responses: string[]; stop_reasons: string[] }>();
    expect(responses).to.have.length(4);
    expect(new Set(responses).size).to.be.above(1);
    for (const reason of stop_reasons) expect(reason).to.be.oneOf(["stop", "eos", "length"]);
  });

  it("answers greedily at temperature 0", async () => {
    const { json } = await generate(
      "--prompt",
      "ab",
      "actor_rollout_ref.rollout.n=3",
      "actor_rollout_ref.rollout.temperature=0",
      "--json",
    );
    expect(new Set(json<{ responses: string[] }>().responses).size).to.equal(1);
  });

  it("answers the prompts of files in their order, beside the rows' own columns", async () => {
    const { code, stdout } = await generate("data.train_files=[train.jsonl]");
    expect(code).to.equal(0);
    const answers = lines(stdout);
    expect(answers.map(({ prompt }) => prompt[0].content)).to.deep.equal(["a", "b", "cd"]);
    for (const answer of answers) {
      expect(answer.responses).to.have.length(1);
      expect(answer).to.deep.include({ data_source: "toy", reward_model: { style: "rule", ground_truth: "a" } });
    }
  });

  it("writes a file that appears when it is complete", async () => {
    const { code, stdout, stderr } = await generate("data.train_files=[train.jsonl]", "--output", "answers.jsonl");
    expect({ code, stdout }).to.deep.equal({ code: 0, stdout: "" });
    expect(stderr).to.include("3 prompts answered: answers.jsonl");
    expect(lines(await folder.read("answers.jsonl"))).to.have.length(3);
    const json = await generate("data.train_files=[train.jsonl]", "--output", "answers.jsonl", "--json");
    expect(json.json()).to.deep.equal({ event: "end", prompts: 3, output: "answers.jsonl" });
  });

  it("refuses a folder as output before anything is sampled, and leaves nothing beside it", async () => {
    const { code, stderr } = await generate("--prompt", "ab", "--output", "tokenizer");
    expect(code).to.equal(2);
    expect(stderr).to.include("VERL_CLI_OUTPUT").and.include("folder of this name");
    expect(await readdir(folder.dir)).not.to.include("tokenizer.tmp");
  });

  it("leaves no file behind when it fails", async () => {
    const { code } = await generate(
      "--prompt",
      "ab",
      "--output",
      "failed.jsonl",
      "actor_rollout_ref.model.path=nowhere",
    );
    expect(code).to.equal(2);
    expect((await readdir(folder.dir)).filter((name) => name.startsWith("failed"))).to.deep.equal([]);
  });

  for (const [what, args, code] of [
    ["no prompt", [], "VERL_CLI_USAGE"],
    ["a prompt with characters that the tokenizer does not know", ["--prompt", "xyz"], /^VERL_DATA_/],
    ["a prompt that is too long", ["--prompt", "abcde"], "VERL_DATA_PROMPT_TOO_LONG"],
    [
      "a model that is not there",
      ["--prompt", "a", "actor_rollout_ref.model.path=nowhere"],
      "VERL_FORMATS_NOT_A_MODEL",
    ],
    ["a Hub id without the Hub", ["--prompt", "a", "actor_rollout_ref.model.path=a/b"], "VERL_FORMATS_HUB_UNREACHABLE"],
    ["no model", ["--prompt", "a", "actor_rollout_ref.model.path=null"], "VERL_TRAINER_NO_MODEL"],
    [
      "a model without weights",
      [
        "--prompt",
        "a",
        "actor_rollout_ref.model.path=null",
        "actor_rollout_ref.model.tokenizer_path=tokenizer",
        "actor_rollout_ref.model.config={model_type: llama}",
      ],
      "VERL_TRAINER_NO_MODEL",
    ],
    ["a data file that is not there", ["data.train_files=[nothing.jsonl]"], "VERL_DATA_FILE_NOT_FOUND"],
    ["an output folder that is not there", ["--prompt", "a", "--output", "no/where.jsonl"], "VERL_CLI_OUTPUT"],
    ["an unknown rollout", ["--prompt", "a", "actor_rollout_ref.rollout.name=vlm"], "VERL_CONFIG_NAME"],
  ] as const) {
    it(`says what is wrong: ${what}`, async () => {
      const result = await generate(...args, "--json");
      expect(result.code).to.be.oneOf([1, 2]);
      const { error } = result.json<{ error: { code: string } }>();
      if (typeof code === "string") expect(error.code).to.equal(code);
      else expect(error.code).to.match(code);
    });
  }
});
