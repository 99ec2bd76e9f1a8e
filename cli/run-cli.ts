import { type Command, CommanderError } from "commander";
import { cliErrors } from "./errors.js";
import { withExplicitLockFiles } from "./program/arguments.js";
import type { Declaring } from "./program/declare.js";
import { type CommandIo, hasPlugins, printLine } from "./program/io.js";
import { type AddedHelp, createProgram } from "./program/program.js";
import { EXIT, reportError } from "./program/report-error.js";

/**
 * Runs one command line (without `node verl`) and returns the exit code: 0 done, 1 the run failed, 2 the command line, the
 * configuration or a plugin is wrong, 130 interrupted.
 */
export async function runCli(argv: readonly string[], io: CommandIo): Promise<number> {
  let code: number = EXIT.ok;
  const declaring: Declaring = {
    io,
    finish: async (result) => {
      code = await result;
    },
  };
  const json = argv.includes("--json");
  try {
    const program = createProgram(declaring, await addedHelp(argv, io));
    if (mayBeOfPlugin(argv, program, io)) {
      const { runPluginCommand } = await import("./plugins/plugin-commands.js");
      const ofPlugin = await runPluginCommand(argv, io);
      if (ofPlugin !== null) return ofPlugin;
    }
    refuseEmptyValues(program);
    await program.parseAsync(withExplicitLockFiles(argv), { from: "user" });
    return code;
  } catch (error) {
    if (!(error instanceof CommanderError)) return reportError(error, io, json);
    if (error.exitCode === 0) return EXIT.ok;
    if (error.code === "commander.help") return showUsage(argv, declaring);
    return reportError(usageError(error, argv, declaring), io, json);
  }
}

/**
 * An empty text is no path and no name: as of a variable of the shell that is not set. `resolve` would make the working directory
 * of it. Options that may go without a value take an empty one for none.
 */
function refuseEmptyValues(command: Command): void {
  command.hook("preAction", (_, called) => {
    const { args, options } = called;
    for (const option of options) {
      if (!option.required || called.getOptionValueSource(option.attributeName()) !== "cli") continue;
      const value: unknown = called.getOptionValue(option.attributeName());
      if ([value].flat().includes("")) throw emptyValue(`\`${option.long ?? option.short}\``);
    }
    if (args.includes("")) throw emptyValue("An argument");
  });
}

function emptyValue(of: string) {
  return cliErrors.VERL_CLI_USAGE({
    what: `${of} has an empty value.`,
    fix: "Give it a value, or leave it out; where a variable of the shell stands there, it is not set.",
  });
}

/** Keys from the schema, commands of plugins; loaded only where they are shown. */
async function addedHelp(argv: readonly string[], io: CommandIo): Promise<AddedHelp> {
  const [first = "--help", ...rest] = argv;
  const asks = (word: string) => word === "--help" || word === "-h";
  const isHelped = (first === "train" && rest.some(asks)) || (first === "help" && rest[0] === "train");
  if (isHelped) return { train: (await import("./config/key-help.js")).frequentKeysHelp() };
  const isWhole = asks(first) || (first === "help" && rest.length === 0);
  if (!isWhole || !hasPlugins(io)) return {};
  return { commands: await (await import("./plugins/plugin-commands.js")).pluginCommandsHelp(io) };
}

/** A first word that is none of the built-in commands, where plugins are named that may know it. */
function mayBeOfPlugin([word = "-"]: readonly string[], program: Command, io: CommandIo): boolean {
  return !word.startsWith("-") && hasPlugins(io) && !program.commands.some((command) => command.name() === word);
}

/** A command that needs a subcommand, without one. */
function showUsage([name]: readonly string[], declaring: Declaring): number {
  const program = createProgram(declaring);
  const command = program.commands.find((candidate) => candidate.name() === name) ?? program;
  printLine(declaring.io.stderr, command.helpInformation());
  return EXIT.usage;
}

function usageError({ message }: CommanderError, argv: readonly string[], declaring: Declaring) {
  const [first] = message.replace(/^error: /, "").split("\n");
  const suggestion = /Did you mean [^)]*/.exec(message)?.[0];
  const what = `${first.charAt(0).toUpperCase()}${first.slice(1)}${/[.?!]$/.test(first) ? "" : "."}`;
  const command = commandOf(argv, declaring);
  return cliErrors.VERL_CLI_USAGE({
    what: suggestion ? `${what} ${suggestion}` : what,
    ...(command === "" ? {} : { fix: `\`verl ${command} --help\` shows what it takes.` }),
  });
}

/** The command that the words begin with, e.g. `config explain`; empty if they begin with none. */
function commandOf(argv: readonly string[], declaring: Declaring): string {
  let at: Command = createProgram(declaring);
  const path: string[] = [];
  for (const word of argv) {
    const next = at.commands.find((candidate) => candidate.name() === word);
    if (!next) break;
    at = next;
    path.push(word);
  }
  return path.join(" ");
}
