import { statSync } from "node:fs";
import { type ParseArgsConfig, parseArgs } from "node:util";

/** What the tools of this repository say of a wrong command line: the message, the usage, exit code 2. */
export function usageError(problem: string, usage: string): never {
  console.error(`${problem}\nusage: ${usage}`);
  process.exit(2);
}

/** `parseArgs`, whose complaints are answered by the usage instead of a stack trace; `--help` prints it. */
export function commandLine<const T extends ParseArgsConfig & { readonly usage: string }>(config: T) {
  const args = config.args ?? process.argv.slice(2);
  if (args.includes("--help") || args.includes("-h")) {
    console.log(`usage: ${config.usage}`);
    process.exit(0);
  }
  try {
    return parseArgs<T>(config);
  } catch (error) {
    return usageError(error instanceof Error ? error.message.split("\n")[0] : String(error), config.usage);
  }
}

/** The one folder that a command line names. */
export function folderOf(positionals: readonly string[], usage: string): string {
  if (positionals.length !== 1) usageError(`Name one folder; ${positionals.length} were given.`, usage);
  const [folder] = positionals;
  const entry = statSync(folder, { throwIfNoEntry: false });
  if (!entry) usageError(`There is no folder ${folder}.`, usage);
  if (!entry.isDirectory()) usageError(`${folder} is a file; name the folder that holds it.`, usage);
  return folder;
}

/** An option's value as a whole number that is at least `least`. */
export function wholeNumber(name: string, value: string, least: number, usage: string): number {
  const number = Number(value);
  if (value.trim() === "" || !Number.isSafeInteger(number) || number < least)
    usageError(`--${name} is a whole number, at least ${least}; "${value}" is not.`, usage);
  return number;
}

/** An option's value as a list of known names, between commas. */
export function listOf(name: string, value: string, known: readonly string[], usage: string): string[] {
  const names = value.split(",");
  for (const one of names)
    if (!known.includes(one)) usageError(`--${name} knows no "${one}"; known are ${known.join(", ")}.`, usage);
  return names;
}
