import { expect } from "chai";
import { ToyFolder } from "../../core/trainer/support/toy-run.js";
import { TOY_MODEL, writeToyModel } from "../../core/trainer/support/toy-task.js";
import { cli } from "../support.js";

const MODEL = [...TOY_MODEL, "reward.custom_reward_function.path=reward.mjs"];

describe("cli/runs/eval-command", () => {
  let folder: ToyFolder;
  beforeEach(async () => {
    folder = await ToyFolder.create();
    await writeToyModel(folder.at("model"));
  });
  afterEach(() => folder[Symbol.asyncDispose]());

  const evaluate = (...args: string[]) => cli(["eval", ...MODEL, ...args], { cwd: folder.dir });
  type Result = { rows: number; metrics: Record<string, number> };
  const errorOf = (result: { json<T>(): T }) => result.json<{ error: { code: string; where?: string } }>().error;

  it("samples and scores the validation data with the weights on disk", async () => {
    const { code, json, stderr } = await evaluate("data.val_files=[val.jsonl]", "--json");
    expect(code, stderr).to.equal(0);
    const { rows, metrics } = json<Result>();
    expect(rows).to.equal(2);
    expect(metrics["val-core/toy/acc/mean@1"]).to.be.within(0, 1);
    expect(metrics["val-aux/num_samples"]).to.equal(2);
  });

  it("scores what the trainer's own validation scores", async () => {
    const sampled = [
      "data.val_files=[val.jsonl]",
      "actor_rollout_ref.rollout.val_kwargs.n=8",
      "actor_rollout_ref.rollout.val_kwargs.temperature=1",
    ];
    const { metrics } = (await evaluate(...sampled, "--json")).json<Result>();
    const { tracker } = await folder.train({
      overrides: [
        ...MODEL,
        ...sampled,
        "trainer.val_only=true",
        "actor_rollout_ref.model.config=null",
        "actor_rollout_ref.actor.strategy=onnx",
        "actor_rollout_ref.rollout.name=onnx",
      ],
    });
    expect(metrics).to.deep.equal(tracker.steps[0].metrics);
  });

  it("prints a table for people", async () => {
    const { stdout, stderr } = await evaluate("data.val_files=[val.jsonl]");
    expect(stdout).to.match(/^val-core\/toy\/acc\/mean@1\s+[\d.e-]+$/m);
    expect(stderr).to.include("2 rows evaluated");
  });

  const responses = (...rows: readonly object[]) =>
    folder.write("responses.jsonl", rows.map((row) => `${JSON.stringify(row)}\n`).join(""));

  it("scores responses that exist already: the mean over prompts of the mean over responses", async () => {
    await responses(
      { data_source: "toy", responses: ["aaaa", ""] },
      { data_source: "toy", responses: ["aa"] },
      { data_source: "other", responses: ["a"] },
    );
    const { json } = await evaluate("--responses", "responses.jsonl", "--json");
    expect(json()).to.deep.equal({ rows: 3, metrics: { "test_score/toy": 0.5, "test_score/other": 0.25 } });
  });

  it("scores them without a model where the scorer reads texts alone", async () => {
    await responses({ data_source: "toy", responses: ["aa"] });
    for (const model of ["null", "owner/name"]) {
      const { json } = await evaluate("--responses=responses.jsonl", `actor_rollout_ref.model.path=${model}`, "--json");
      expect(json(), model).to.deep.equal({ rows: 1, metrics: { "test_score/toy": 0.5 } });
    }
  });

  it("scores what verl generate wrote", async () => {
    const { code, stderr } = await cli(
      [
        "generate",
        ...MODEL,
        "data.train_files=[train.jsonl]",
        "actor_rollout_ref.rollout.n=2",
        "--output",
        "out.jsonl",
      ],
      { cwd: folder.dir },
    );
    expect(code, stderr).to.equal(0);
    const { rows, metrics } = (await evaluate("--responses", "out.jsonl", "--json")).json<Result>();
    expect(rows).to.equal(12);
    expect(metrics["test_score/toy"]).to.be.within(0, 1);
  });

  it("finds the data source in the column that the configuration names", async () => {
    await responses({ origin: "mine", responses: ["a"] });
    const { json } = await evaluate("--responses", "responses.jsonl", "data.reward_fn_key=origin", "--json");
    expect(json<Result>().metrics).to.deep.equal({ "test_score/mine": 0.25 });
  });

  it("leaves abstentions out, and says how many", async () => {
    await folder.write("reward.mjs", "export const compute_score = ({ solution }) => (solution === '' ? null : 1);");
    await responses({ data_source: "toy", responses: ["", "a"] }, { data_source: "toy", responses: [""] });
    const { json } = await evaluate("--responses", "responses.jsonl", "--json");
    expect(json()).to.deep.equal({ rows: 2, metrics: { "test_score/toy": 1, "validation/abstained_samples": 2 } });
  });

  it("names the row whose response could not be scored", async () => {
    await folder.write("reward.mjs", "export const compute_score = () => { throw new Error('no'); };");
    await responses({ data_source: "toy", responses: ["a"] });
    const result = await evaluate("--responses", "responses.jsonl", "--json");
    expect(result.code).to.equal(1);
    expect(errorOf(result)).to.include({ code: "VERL_REWARD_FAILED" });
    expect(errorOf(result).where).to.include("responses.jsonl:1");
  });

  for (const [what, rows, code] of [
    ["no list of responses", [{ data_source: "toy", response: "a" }], "VERL_DATA_BAD_ROW"],
    ["responses that are no texts", [{ data_source: "toy", responses: [1] }], "VERL_DATA_BAD_ROW"],
    ["no rows", [], "VERL_DATA_EMPTY"],
  ] as const) {
    it(`says what is wrong with a file that has ${what}`, async () => {
      await responses(...rows);
      expect(errorOf(await evaluate("--responses", "responses.jsonl", "--json")).code).to.equal(code);
    });
  }

  for (const [what, files] of [
    ["that is not there", {}],
    ["without rows", { "responses.jsonl": "" }],
  ] as const) {
    it(`advises on the option, not on keys that nobody set, for a file of responses ${what}`, async () => {
      for (const [name, content] of Object.entries(files)) await folder.write(name, content);
      const { stderr } = await evaluate("--responses", "responses.jsonl");
      expect(stderr)
        .to.match(/fix:.*--responses/)
        .and.not.include("data.train_files");
    });
  }

  it("advises on the key that names the validation data", async () => {
    const { stderr } = await evaluate("data.val_files=[nothing.jsonl]");
    expect(stderr)
      .to.match(/fix:.*data\.val_files/)
      .and.not.include("data.train_files");
  });

  for (const [what, args, code] of [
    ["nothing to evaluate", [], "VERL_CLI_USAGE"],
    ["a file that is not there", ["--responses", "nothing.jsonl"], "VERL_DATA_FILE_NOT_FOUND"],
    ["a file of another kind", ["--responses", "reward.mjs"], "VERL_DATA_FORMAT"],
    ["no model", ["data.val_files=[val.jsonl]", "actor_rollout_ref.model.path=null"], "VERL_TRAINER_NO_MODEL"],
    ["no scorer", ["data.val_files=[val.jsonl]", "reward.custom_reward_function.path=null"], "VERL_REWARD_NO_SCORER"],
  ] as const) {
    it(`says what is wrong: ${what}`, async () => {
      const result = await evaluate(...args, "--json");
      expect(result.code).to.be.oneOf([1, 2]);
      expect(errorOf(result).code).to.equal(code);
    });
  }
});
