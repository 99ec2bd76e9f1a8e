import type { Command } from "commander";
import type { CompletionWords } from "./recorded-words.js";

/** What stands where a word is typed: one of `values`, or what the shell or the configuration knows. */
export type WordKind = "config" | "key" | "files" | "folders" | "values" | "none";

export interface CompletionOption {
  readonly names: readonly string[];
  /** Null for a switch. */
  readonly value: { readonly kind: WordKind; readonly values: readonly string[] } | null;
}

export interface CompletionCommand {
  /** Words after `verl`, e.g. `config explain`; empty for `verl` itself. */
  readonly path: string;
  readonly subcommands: readonly string[];
  readonly options: readonly CompletionOption[];
  /** Of each argument; the last one repeats. */
  readonly words: readonly { readonly kind: WordKind; readonly values: readonly string[] }[];
}

export interface CompletionSpec {
  readonly commands: readonly CompletionCommand[];
  readonly keys: CompletionWords["keys"];
}

/** Names that stand in tables and folders of the package. */
export interface CompletionLists {
  readonly codes: readonly string[];
  readonly templates: readonly string[];
  readonly kinds: readonly string[];
}

/** Names of all commands, for those who ask for help. */
const commandNames = (command: Command): string[] =>
  command.commands.flatMap((sub) => [sub.name(), ...commandNames(sub)]);

/** Everything that can be completed, from the declarations of the commands and those who know the words. */
export function completionSpec(
  program: Command,
  { keys, names, commands: ofPlugins }: CompletionWords,
  lists: CompletionLists,
): CompletionSpec {
  const [verl, ...below] = commandsOf(program, "", { ...lists, names, commands: [...new Set(commandNames(program))] });
  return { commands: [{ ...verl, subcommands: [...verl.subcommands, ...ofPlugins] }, ...below], keys };
}

type Lists = CompletionLists & { readonly names: readonly string[]; readonly commands: readonly string[] };

function commandsOf(command: Command, path: string, lists: Lists): CompletionCommand[] {
  const subcommands = command.commands.map((sub) => sub.name());
  const own: CompletionCommand = {
    path,
    subcommands,
    options: [
      ...command.options.map((option) => ({
        names: [option.short, option.long].filter((name) => name != null),
        value:
          option.required || option.optional
            ? wordOf(option.attributeName(), option.flags, option.argChoices, lists)
            : null,
      })),
      { names: ["-h", "--help"], value: null },
    ],
    words: command.registeredArguments.map((argument) => wordOf(argument.name(), "", argument.argChoices, lists)),
  };
  return [own, ...command.commands.flatMap((sub) => commandsOf(sub, `${path} ${sub.name()}`.trim(), lists))];
}

/** What an argument or an option's value is, by its name. */
function wordOf(name: string, flags: string, choices: readonly string[] | undefined, lists: Lists) {
  const values = (list: readonly string[]) => ({ kind: "values" as const, values: list });
  const kind = (word: WordKind) => ({ kind: word, values: [] });
  if (choices) return values(choices);
  if (name === "args") return kind("config");
  if (name === "key") return kind("key");
  if (name === "code") return values(lists.codes);
  if (name === "name") return values(lists.names);
  if (name === "words") return values(lists.commands);
  if (name === "template") return values(lists.templates);
  if (name === "kind") return values(lists.kinds);
  if (/^(dir|run|runs)$/.test(name)) return kind("folders");
  return name === "place" || /<(file|path)>|\[file\]/.test(flags) ? kind("files") : kind("none");
}
