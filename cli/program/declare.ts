import type { Command } from "commander";
import { cliErrors } from "../errors.js";
import type { ConfigRequest } from "../runs/prepare-run.js";
import { splitArguments } from "./arguments.js";
import type { CommandIo } from "./io.js";

/** What the declarations of commands share. */
export interface Declaring {
  readonly io: CommandIo;
  /** Takes the exit code of the command that was run. */
  readonly finish: (code: number | Promise<number>) => Promise<void>;
}

/** Options as commander hands them over. */
export type Flags = Readonly<Record<string, unknown>>;

export const CONFIG_ARGUMENTS = "YAML files, and overrides such as data.train_batch_size=8";

const OVERRIDES_HELP = `
Overrides:
  a.b=V     change a key          +a.b=V   add a key to an open section
  ++a.b=V   change or add         ~a.b     go back to the default
  V is null, true, a number, text, 'quoted text', [a, b], {a: 1} or \${another.key}.
  Later files and overrides win. VERL_PLATFORM, VERL_ENGINE and VERL_ROLLOUT lie between files and overrides.`;

/** A command that composes a configuration. */
export function configured(command: Command, description: string): Command {
  return command
    .description(description)
    .argument("[args...]", CONFIG_ARGUMENTS)
    .option("--json", "print results and errors as JSON")
    .addHelpText("after", OVERRIDES_HELP);
}

/** A command that composes a configuration, loads its plugins, and does something with them. */
export function hosted(command: Command, description: string): Command {
  return configured(command, description)
    .option("--allow-broken-plugins", "go on without plugins that fail, and list them")
    .option("--frozen-plugins [file]", "demand exactly the plugins of the recorded lock");
}

/** The configuration that the command line asks for. */
export function requestOf(args: readonly string[], flags: Flags): ConfigRequest {
  return {
    ...splitArguments(args),
    json: flags.json === true,
    allowBrokenPlugins: flags.allowBrokenPlugins === true,
    frozenPlugins: lockFileOf(flags.frozenPlugins),
  };
}

/** An option with a lock file that may be left out: its path, true for the usual one, false without the option. */
export const lockFileOf = (value: unknown): string | boolean =>
  typeof value === "string" && value !== "" ? value : value !== undefined;

/** Reads the value of an option that counts something. */
export function wholeNumber(option: string, least = 1): (text: string) => number {
  return (text) => {
    if (/^(0|[1-9]\d*)$/.test(text) && Number(text) >= least) return Number(text);
    throw cliErrors.VERL_CLI_USAGE({
      what: `\`${option} ${text}\` cannot be understood.`,
      fix: `Write a whole number from ${least}.`,
    });
  };
}

export const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null);

export const examples = (...lines: string[]): string => `\nExamples:\n${lines.map((line) => `  ${line}`).join("\n")}`;
