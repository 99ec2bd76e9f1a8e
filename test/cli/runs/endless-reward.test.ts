import { expect } from "chai";
import { WATCHDOG_EXIT_CODE } from "../../../core/host/index.js";
import { verl } from "../../core/trainer/support/child.js";
import { ToyFolder } from "../../core/trainer/support/toy-run.js";
import { TOY_OVERRIDES } from "../../core/trainer/support/toy-task.js";

const ENDLESS = "export function compute_score() {\n  while (true);\n}\n";

describe("a reward function that computes for ever", function () {
  this.timeout(120_000);

  it("ends the run after reward.timeout; line, key and row are named", async () => {
    await using folder = await ToyFolder.create({ reward: ENDLESS });
    const { code, stderr } = await verl(["train", ...TOY_OVERRIDES, "reward.timeout=0.5"], { cwd: folder.dir });
    expect(stderr).to.match(/VERL_REWARD_TIMEOUT: .*reward\.custom_reward_function\.path.*dataset row .*:\d/);
    expect(stderr).to.match(/where: compute_score \(.*reward\.mjs:2:/);
    expect(code).to.equal(WATCHDOG_EXIT_CODE);
  });

  it("is said to hold the process, and a signal ends it then", async () => {
    await using folder = await ToyFolder.create({ reward: ENDLESS });
    const { signal } = await verl(["train", ...TOY_OVERRIDES], {
      cwd: folder.dir,
      onOutput({ stderr }, child) {
        if (/holds the process.*reward\.mjs:2:/.test(stderr)) child.kill("SIGTERM");
      },
    });
    expect(signal).to.equal("SIGTERM");
  });
});
