import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import { composeAnyway, explainKey, inspectConfig } from "../../../core/config/index.js";
import { codedError, compose } from "./support.js";

/** What a user types who has not read the reference. */
describe("core/config, unfriendly input", () => {
  const problems = async (...overrides: string[]) => {
    const composed = await composeAnyway({ files: [], overrides, env: {}, cwd: "." });
    return (await inspectConfig(composed, { forTraining: false })).problems;
  };

  it("says once that a section is none", async () => {
    const [problem, ...others] = await problems("trainer=3");
    expect(others).to.deep.equal([]);
    expect(problem.what).to.equal("trainer must be a section of keys.");
    expect(problem.code).to.equal("VERL_CONFIG_TYPE");
    expect(problem.fix).to.include("trainer.NAME=VALUE");
  });

  it("says how large whole numbers may be", async () => {
    const [problem] = await problems("trainer.seed=9007199254740993");
    expect(problem.why).to.equal("Whole numbers go up to 9007199254740991.");
  });

  it("names a misspelt key of an entry, not the one that is missing for it", async () => {
    const [problem] = await problems("reward.hybrid=[{data_sorce: x}]");
    expect(problem.what).to.include("data_sorce").and.include('Did you mean "data_source"?');
  });

  it("refuses a side that there is not", async () => {
    const [problem] = await problems("actor_rollout_ref.rollout.multi_turn.tool_response_truncate_side=lft");
    expect(problem.fix).to.equal("Did you mean left?");
  });

  it("refuses a key that occurs twice in one value", async () => {
    const error = await codedError(() => compose(["actor_rollout_ref.model.config={a: 1, 'a': 2}"]));
    expect(error.message).to.include('the key "a" occurs twice');
  });

  for (const key of ["project_name", "experiment_name", "default_local_dir", "output_dir"]) {
    it(`wants more than nothing for trainer.${key}`, async () => {
      const found = (await problems(`trainer.${key}=`)).filter((problem) => problem.key === `trainer.${key}`);
      expect(found.map(({ what }) => what)).to.deep.equal([`trainer.${key} is ""; it must be text that is not empty.`]);
    });
  }

  it("suggests keys in whatever case, and files of like names", async () => {
    const upper = await codedError(() => compose(["DATA.SEED=1"]));
    expect(upper.message).to.include("Did you mean data.seed?");
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "verl-beside-"));
    fs.writeFileSync(path.join(folder, "grpo.yaml"), "");
    const error = await codedError(() => composeAnyway({ files: ["grpo.yml"], overrides: [], env: {}, cwd: folder }));
    fs.rmSync(folder, { recursive: true });
    expect(error.message).to.include("Did you mean grpo.yaml?");
  });

  it("says of a name with dots in a file what it is, and does not take it for a key", async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "verl-dots-"));
    fs.writeFileSync(path.join(folder, "a.yaml"), 'trainer.seed: 4\nactor_rollout_ref: {"rollout.n": 3}\n');
    const composed = await composeAnyway({ files: ["a.yaml"], overrides: [], env: {}, cwd: folder });
    fs.rmSync(folder, { recursive: true });
    const found = (await inspectConfig(composed, { forTraining: false })).problems;
    expect(found.map(({ key, code }) => [key, code])).to.have.deep.members([
      ["trainer.seed", "VERL_CONFIG_UNKNOWN_KEY"],
      ["actor_rollout_ref.rollout.n", "VERL_CONFIG_UNKNOWN_KEY"],
    ]);
    const seed = found.find(({ key }) => key === "trainer.seed");
    expect(seed?.where).to.match(/a\.yaml:1:15$/);
    expect(seed?.fix).to.include("trainer: seed: …");
  });

  it("refuses a file that is no UTF-8, and suggests no file that is only as long", async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "verl-bytes-"));
    const read = (file: string) =>
      codedError(() => composeAnyway({ files: [file], overrides: [], env: {}, cwd: folder }));
    fs.writeFileSync(path.join(folder, "utf16.yaml"), Buffer.from("\ufefftrainer: {seed: 3}", "utf16le"));
    const error = await read("utf16.yaml");
    const other = await read("nope.yaml");
    fs.rmSync(folder, { recursive: true });
    expect([error.code, error.fix]).to.deep.equal([
      "VERL_CONFIG_SYNTAX",
      "Save it as UTF-8; Windows PowerShell's > writes UTF-16.",
    ]);
    expect(other.message).not.to.include("Did you mean");
  });

  it("explains a key inside an open section by the section, with its value", async () => {
    const composed = await compose(["+actor_rollout_ref.rollout.engine_kwargs.onnx.attention=flash"]);
    const explained = explainKey("actor_rollout_ref.rollout.engine_kwargs.onnx.attention", composed);
    expect(explained).to.include({ status: "open", value: "flash" });
    expect(explained.description).to.include("actor_rollout_ref.rollout.engine_kwargs");
  });
});
