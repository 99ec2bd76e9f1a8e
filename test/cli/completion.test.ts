import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import { cli } from "./support.js";

/** Completes each command line in the real shell, the script read as a user would; one list of candidates per line. */
const DRIVERS = {
  bash: `source ./script
while IFS= read -r COMP_LINE; do
  COMP_POINT=\${#COMP_LINE}; COMPREPLY=(); _verl
  ( IFS='|'; printf '%s\\n' "\${COMPREPLY[*]}" )
done < lines`,
  zsh: `autoload -U compinit; compinit -D
source ./script
compadd() { [[ $1 == -S ]] && shift 2; shift; print -rn -- "\${(j:|:)@}|" }
_files() { print -rn -- "files|" }
while IFS= read -r line; do words=("\${(@s: :)line}"); CURRENT=$#words; _verl; print; done < lines`,
  fish: `source ./script
for line in $argv; echo (string join -- '|' (complete -C "$line")); end`,
};

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

  const script = async (shell: string, env: Record<string, string> = {}) =>
    (await cli(["completion", shell], { cwd, env })).stdout;
  const isThere = (shell: string) => spawnSync(shell, ["--version"]).status === 0;

  async function complete(shell: keyof typeof DRIVERS, lines: readonly string[], env = {}): Promise<string[][]> {
    await writeFile(path.join(cwd, "script"), await script(shell, env));
    await writeFile(path.join(cwd, "driver"), DRIVERS[shell]);
    await writeFile(path.join(cwd, "lines"), lines.map((line) => `${line}\n`).join(""));
    const flags = { bash: ["--norc"], zsh: ["-f"], fish: ["--no-config"] }[shell];
    const { stdout, stderr } = spawnSync(shell, [...flags, "driver", ...lines], {
      cwd,
      encoding: "utf8",
      timeout: 20_000,
    });
    expect(stderr).to.equal("");
    const results = stdout.split("\n").slice(0, lines.length);
    return results.map((result) =>
      result
        .split("|")
        .map((word) => word.trim())
        .filter((word) => word !== ""),
    );
  }

  for (const shell of ["bash", "zsh", "fish"] as const) {
    const test = isThere(shell) ? it : it.skip;
    test(`completes commands, options, keys and values in a real ${shell}${isThere(shell) ? "" : " (not installed)"}`, async function () {
      this.timeout(30_000);
      const [commands, nested, options, section, leaf, values, sorts, codes, names] = await complete(shell, [
        "verl tr",
        "verl config ",
        "verl train --dr",
        "verl train tra",
        "verl train trainer.thr",
        "verl train algorithm.adv_estimator=gp",
        "verl inspect run --sort w",
        "verl explain VERL_CONFIG_SI",
        "verl plugins why sap",
      ]);
      // Bash takes what follows "=" for a word of its own.
      const value = (key: string, text: string) => (shell === "bash" ? text : `${key}=${text}`);
      expect(commands).to.deep.equal(["train"]);
      expect(nested).to.have.members(["print", "check", "diff", "explain"]);
      expect(options).to.deep.equal(["--dry-run"]);
      expect(section).to.include.members(["trainer.", "transfer_queue."].filter((key) => key.startsWith("tra")));
      expect(leaf).to.include("trainer.threads=");
      expect(values).to.deep.equal([value("algorithm.adv_estimator", "gpg")]);
      expect(sorts).to.deep.equal(["worst"]);
      expect(codes).to.deep.equal(["VERL_CONFIG_SIZES"]);
      expect(names).to.deep.equal(["sapo"]);
    });
  }

  const inBash = isThere("bash") ? it : it.skip;

  inBash("knows prefixes of overrides, files, and the names of plugins", async () => {
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
      ],
      { VERL_USE_EXTERNAL_MODULES: "./plugin.mjs" },
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
    ]);
  });

  it("prints a script for each shell and refuses others", async () => {
    for (const shell of ["bash", "zsh", "fish"]) expect(await script(shell)).to.include(`verl completion for ${shell}`);
    const { code, stderr } = await cli(["completion", "tcsh"], { cwd });
    expect(code).to.equal(2);
    expect(stderr).to.include("Allowed choices are bash, zsh, fish.");
  });
});
