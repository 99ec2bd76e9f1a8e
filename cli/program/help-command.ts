import type { Command } from "commander";
import { type KeyEntry, searchKeys } from "../../core/config/index.js";
import { errorTable } from "../error-table.js";
import { type CommandIo, painter, printJson, printLine } from "./io.js";
import { EXIT } from "./report-error.js";

/** Lines of each kind; the rest is a command away. */
const SHOWN = 10;

/** Something that holds the words: its name as one types it, and a line about it. */
export interface HelpMatch {
  readonly name: string;
  readonly description: string;
}

export interface HelpMatches {
  readonly commands: readonly HelpMatch[];
  readonly options: readonly HelpMatch[];
  readonly keys: readonly HelpMatch[];
  readonly errors: readonly HelpMatch[];
}

/**
 * `verl help`: the help of the command that the words name; else commands, options, keys and error codes whose name or description
 * holds every word.
 */
export async function showHelp(
  program: Command,
  words: readonly string[],
  { json }: { json: boolean },
  io: CommandIo,
): Promise<number> {
  const command = json ? null : commandAt(program, words);
  if (command) {
    command.outputHelp();
    return EXIT.ok;
  }
  const found = helpMatches(program, words);
  if (json) printJson(io, found);
  else if (Object.values(found).every((matches) => matches.length === 0)) {
    printLine(io.stderr, `Nothing holds ${words.join(" and ")}. \`verl --help\` lists the commands.`);
  } else for (const line of lines(found, words, io)) printLine(io.stdout, line);
  return EXIT.ok;
}

/** The command that the words are the name of; without words, all of `verl`. */
function commandAt(program: Command, words: readonly string[]): Command | null {
  let at: Command | undefined = program;
  for (const word of words) at = at?.commands.find((candidate) => candidate.name() === word);
  return at ?? null;
}

export function helpMatches(program: Command, words: readonly string[]): HelpMatches {
  const wanted = words.map((word) => word.toLowerCase());
  const holds = ({ name, description }: HelpMatch) =>
    wanted.every((word) => `${name} ${description}`.toLowerCase().includes(word));
  const commands = commandsOf(program, "");
  return {
    commands: commands.map(({ match }) => match).filter(holds),
    options: commands.flatMap(({ options }) => options).filter(holds),
    keys: searchKeys(words).map(({ key, description }: KeyEntry) => ({ name: key, description })),
    errors: Object.entries(errorTable)
      .map(([name, { summary }]) => ({ name, description: summary }))
      .filter(holds),
  };
}

function commandsOf(command: Command, path: string): { readonly match: HelpMatch; readonly options: HelpMatch[] }[] {
  const own = {
    match: { name: `verl ${path}`.trim(), description: command.description() },
    options: command.options.map(({ flags, description }) => ({ name: `verl ${path} ${flags}`.trim(), description })),
  };
  const inner = command.commands.flatMap((sub) => commandsOf(sub, `${path} ${sub.name()}`.trim()));
  return path === "" ? inner : [own, ...inner];
}

function lines({ commands, options, keys, errors }: HelpMatches, words: readonly string[], io: CommandIo): string[] {
  const paint = painter(io.color.stdout);
  const groups: readonly [title: string, matches: readonly HelpMatch[], more: string][] = [
    ["Commands", commands, "verl --help"],
    ["Options", options, "verl COMMAND --help"],
    ["Keys", keys, `verl config explain --search ${words.join(" ")}`],
    ["Error codes", errors, "verl help with more words"],
  ];
  return groups
    .filter(([, matches]) => matches.length > 0)
    .flatMap(([title, matches, more], i) => {
      const shown = matches.slice(0, SHOWN);
      const width = Math.max(...shown.map(({ name }) => name.length));
      const rest = matches.length - shown.length;
      return [
        ...(i === 0 ? [] : [""]),
        paint("bold", `${title}:`),
        ...shown.map(({ name, description }) => `  ${name.padEnd(width)}  ${description}`),
        ...(rest > 0 ? [paint("dim", `  … and ${rest} more: ${more}`)] : []),
      ];
    });
}
