import { existsSync } from "node:fs";
import { cliErrors } from "../errors.js";

/** Positional arguments of `train`, `generate`, `eval` and `config`: YAML files and overrides, in any order. */
export interface ConfigArguments {
  readonly files: readonly string[];
  readonly overrides: readonly string[];
}

export function splitArguments(args: readonly string[]): ConfigArguments {
  const files: string[] = [];
  const overrides: string[] = [];
  for (const arg of args) {
    if (/^[+~]/.test(arg) || arg.includes("=")) overrides.push(arg);
    else if (/\.ya?ml$/i.test(arg)) files.push(arg);
    else {
      const file = [".yaml", ".yml"].map((ending) => arg + ending).find((name) => existsSync(name));
      throw cliErrors.VERL_CLI_USAGE({
        what: `"${arg}" is neither a YAML file nor an override.${file ? ` Did you mean ${file}?` : ""}`,
        fix: "Files end in .yaml; overrides look like data.train_batch_size=8.",
      });
    }
  }
  return { files, overrides };
}

const LOCK_OPTIONS: readonly string[] = ["--frozen-plugins", "--write-lock"];

/** Lock files end in .json: without one, the word after these options is a file or an override like any other. */
export function withExplicitLockFiles(argv: readonly string[]): string[] {
  return argv.map((arg, i) => (LOCK_OPTIONS.includes(arg) && !/\.json$/i.test(argv[i + 1] ?? "") ? `${arg}=` : arg));
}
