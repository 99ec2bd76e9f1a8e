import { expect } from "chai";
import { verl } from "../../core/trainer/support/child.js";
import { ToyFolder } from "../../core/trainer/support/toy-run.js";
import { TOY_OVERRIDES } from "../../core/trainer/support/toy-task.js";

/** A command in a process of its own, for an error that nobody catches would be the test's. */
async function run(command: readonly string[], files: Readonly<Record<string, string>>, overrides: readonly string[]) {
  await using folder = await ToyFolder.create();
  for (const [name, text] of Object.entries(files)) await folder.write(name, text);
  return await verl([...command, ...TOY_OVERRIDES, "trainer.total_training_steps=1", ...overrides], {
    cwd: folder.dir,
  });
}

describe("an error that nobody catches", function () {
  this.timeout(60_000);

  it("is told of where the run ends in the same moment", async () => {
    const hooks = 'export function onTrainEnd() { Promise.reject(new Error("left behind")); }\n';
    const { code, stderr } = await run(["train"], { "hooks.mjs": hooks }, ["trainer.hooks=[hooks.mjs]"]);
    expect(stderr).to.match(
      /VERL_USER_UNHANDLED\n {2}"hooks\.mjs", named in the configuration, left an error unhandled/,
    );
    expect(stderr).to.not.include("Node.js v");
    expect(code).to.equal(1);
  });

  it("is one of the run, by the call that left it, where it is no Error", async () => {
    const reward = "export const compute_score = async () => { Promise.reject(); return 1; };\n";
    const { code, stderr } = await run(["train"], { "reward.mjs": reward }, []);
    expect(stderr).to.match(/the reward function for dataset row .* left a rejection .* that is no Error: undefined/);
    expect(code, "not that of an interruption").to.equal(1);
  });

  it("ends an evaluation with its code, too", async () => {
    const reward =
      'export const compute_score = async () => { Promise.reject(new Error("left behind")); return 1; };\n';
    const responses = JSON.stringify({
      prompt: [{ role: "user", content: "a" }],
      data_source: "toy",
      responses: ["ab"],
    });
    const files = { "reward.mjs": reward, "responses.jsonl": `${responses}\n` };
    const { code, stderr } = await run(["eval", "--responses", "responses.jsonl"], files, []);
    expect(stderr).to.match(
      /VERL_USER_UNHANDLED\n {2}"reward\.mjs", named in the configuration, left an error unhandled/,
    );
    expect(code).to.equal(1);
  });

  for (const [thrown, told] of [
    ["null", "null"],
    ["'oh'", "oh"],
    ["new Error('late')", "late"],
  ]) {
    it(`ends a command that only looks with its code: ${thrown} in a timer`, async () => {
      const reward = `setTimeout(() => { throw ${thrown}; });\nexport const compute_score = async () => 1;\n`;
      const { code, stderr } = await run(["train", "--dry-run"], { "reward.mjs": reward }, []);
      expect(stderr).to.include("VERL_USER_UNHANDLED").and.include(told);
      expect(stderr).to.not.include("Node.js v");
      expect(code).to.equal(1);
    });
  }
});
