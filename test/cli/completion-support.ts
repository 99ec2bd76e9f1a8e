import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
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

export type Shell = keyof typeof DRIVERS;

/** Candidates for each command line, in the real shell. Needs the shell; `cwd` gets a few files. */
export async function complete(
  shell: Shell,
  lines: readonly string[],
  { cwd, env = {} }: { readonly cwd: string; readonly env?: Record<string, string> },
): Promise<string[][]> {
  await writeFile(path.join(cwd, "script"), (await cli(["completion", shell], { cwd, env })).stdout);
  await writeFile(path.join(cwd, "driver"), DRIVERS[shell]);
  await writeFile(path.join(cwd, "lines"), lines.map((line) => `${line}\n`).join(""));
  const flags = { bash: ["--norc"], zsh: ["-f"], fish: ["--no-config"] }[shell];
  const { error, stdout, stderr } = spawnSync(shell, [...flags, "driver", ...lines], {
    cwd,
    encoding: "utf8",
    timeout: 20_000,
  });
  if (error) throw error;
  expect(stderr).to.equal("");
  const results = stdout.split("\n").slice(0, lines.length);
  return results.map((result) =>
    result
      .split("|")
      .map((word) => word.trim())
      .filter((word) => word !== ""),
  );
}

/** Commands, options, keys and values are completed as they should be. */
export async function expectCompletions(shell: Shell, cwd: string): Promise<void> {
  const [commands, nested, options, section, leaf, values, sorts, codes, names] = await complete(
    shell,
    [
      "verl tr",
      "verl config ",
      "verl train --dr",
      "verl train tra",
      "verl train trainer.thr",
      "verl train algorithm.adv_estimator=gp",
      "verl inspect run --sort w",
      "verl explain VERL_CONFIG_SI",
      "verl plugins why sap",
    ],
    { cwd },
  );
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
}
