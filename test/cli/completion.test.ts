import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import { complete, expectCompletions } from "./completion-support.js";
import { cli } from "./support.js";

describe("verl completion", () => {
  let cwd = "";
  before(async () => {
    cwd = await mkdtemp(path.join(os.tmpdir(), "verl-completion-"));
    await mkdir(path.join(cwd, "runs"));
    await writeFile(path.join(cwd, "run.yaml"), "");
    await writeFile(path.join(cwd, "reward.ts"), "");
    await writeFile(
      path.join(cwd, "plugin.mjs"),
      `import { definePlugin } from "${new URL("../../core/plugin.js", import.meta.url).href}";
       export const plugin = definePlugin({
         name: "mine", apiVersion: "^1.0.0", provides: ["advantageEstimator"],
         register: (host) => host.advantageEstimators.register({ name: "mine", needs: [], compute: () => null }),
       });`,
    );
  });
  after(() => rm(cwd, { recursive: true }));

  it("completes commands, options, keys and values in a real bash", () => expectCompletions("bash", cwd));

  it("knows prefixes of overrides, files, and the names of plugins", async () => {
    const found = await complete(
      "bash",
      [
        "verl train ++trainer.see",
        "verl train ~trainer.see",
        "verl train ru",
        "verl train reward.custom_reward_function.path=re",
        "verl train algorithm.adv_estimator=mi",
        "verl train run.yaml --dry-run trainer.val_only=",
        "verl generate --prompt x --output re",
        "verl compare ru",
        "verl config explain trainer.see",
        "verl help explai",
      ],
      { cwd, env: { VERL_USE_EXTERNAL_MODULES: "./plugin.mjs" } },
    );
    expect(found).to.deep.equal([
      ["++trainer.seed="],
      ["~trainer.seed"],
      ["runs/", "run.yaml"],
      ["reward.ts"],
      ["mine"],
      ["true", "false"],
      ["reward.ts"],
      ["runs/"],
      ["trainer.seed"],
      ["explain"],
    ]);
  });

  it("prints a script for each shell and refuses others", async () => {
    for (const shell of ["bash", "zsh", "fish"]) {
      const { stdout } = await cli(["completion", shell], { cwd });
      expect(stdout).to.include(`verl completion for ${shell}`);
    }
    const { code, stderr } = await cli(["completion", "tcsh"], { cwd });
    expect(code).to.equal(2);
    expect(stderr).to.include("Allowed choices are bash, zsh, fish.");
  });
});
