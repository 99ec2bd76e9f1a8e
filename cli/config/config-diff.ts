import { stat } from "node:fs/promises";
import path from "node:path";
import {
  composeConfig,
  type Dict,
  diffConfigs,
  type KeyDifference,
  MASK,
  maskSecrets,
  type Node,
  type Problem,
  printedSources,
  problemsError,
  sourceOf,
  sourceText,
  toPlain,
  valueText,
} from "../../core/config/index.js";
import type { JsonValue } from "../../core/plugin.js";
import { CONFIG_FILE, RunFolder } from "../../core/tracking/index.js";
import { cliErrors } from "../errors.js";
import { splitArguments } from "../program/arguments.js";
import { type CommandIo, painter, printJson, printLine } from "../program/io.js";
import { EXIT, errorCard, exitCodeOf } from "../program/report-error.js";
import { wrongKeys } from "./wrong-keys.js";

/** Between the arguments of both sides. */
const SEPARATOR = "vs";

/** One of the two configurations, and where its values come from. */
interface Side {
  readonly tree: Dict;
  /** Keys and values that are wrong in themselves; of what a run ran with, none. */
  readonly wrong: readonly Problem[];
  sourceOf(key: string, node: Node): string;
}

interface Change {
  readonly key: string;
  readonly before: { readonly value: JsonValue; readonly source: string } | null;
  readonly after: { readonly value: JsonValue; readonly source: string } | null;
  /** Nobody set it on either side: it follows another key that differs. */
  readonly follows: boolean;
}

/** `verl config diff`: the keys that two configurations do not agree on, old and new value with their sources. */
export async function diffCommand(
  args: readonly string[],
  { json }: { json: boolean },
  io: CommandIo,
): Promise<number> {
  const [before, after] = await Promise.all((await sidesOf(args, io)).map((side) => openSide(side, io)));
  const code = tellWrong([before, after], io);
  const changes = diffConfigs(before.tree, after.tree)
    .map((difference) => changeOf(difference, before, after, io))
    .filter((change) => change !== null);
  if (json) {
    printJson(io, { changes });
    return code;
  }
  const own = changes.filter(({ follows }) => !follows);
  const following = changes.filter(({ follows }) => follows);
  if (changes.length === 0) printLine(io.stdout, "The configurations are equal.");
  for (const change of own) printLine(io.stdout, changeText(change, io));
  if (following.length > 0)
    printLine(io.stdout, painter(io.color.stdout)("dim", `${own.length > 0 ? "\n" : ""}following from these:`));
  for (const change of following) printLine(io.stdout, changeText(change, io));
  return code;
}

/** What is wrong is compared as it is, and told on standard error; what both sides share, once. Returns the exit code. */
function tellWrong(sides: readonly Side[], io: CommandIo): number {
  const told = new Map(
    sides.flatMap(({ wrong }) => wrong).map((problem) => [`${problem.what} ${problem.where}`, problem]),
  );
  if (told.size === 0) return EXIT.ok;
  const error = problemsError([...told.values()]);
  printLine(io.stderr, errorCard(error, io.color.stderr));
  return exitCodeOf(error);
}

/**
 * The arguments of both sides: what stands before and after `vs`; else the first file or folder against the second with all
 * overrides, or against itself with the overrides, or a single one against the defaults.
 */
async function sidesOf(args: readonly string[], io: CommandIo): Promise<[readonly string[], readonly string[]]> {
  const at = args.indexOf(SEPARATOR);
  if (at >= 0) return [args.slice(0, at), args.slice(at + 1)];
  const places: string[] = [];
  for (const arg of args) if (/\.ya?ml$/i.test(arg) || (await isFolder(arg, io))) places.push(arg);
  const overrides = args.filter((arg) => !places.includes(arg));
  if (places.length > 2) {
    throw cliErrors.VERL_CLI_USAGE({
      what: `There are ${places.length} files.`,
      fix: "Write `vs` between those of one side and those of the other.",
    });
  }
  const [first, second] = places;
  if (second !== undefined) return [[first], [second, ...overrides]];
  if (first === undefined) return [[], overrides];
  return overrides.length > 0 ? [[first], [first, ...overrides]] : [[], [first]];
}

async function openSide(args: readonly string[], io: CommandIo): Promise<Side> {
  const folders: string[] = [];
  for (const arg of args) if (await isFolder(arg, io)) folders.push(arg);
  if (folders.length === 0) {
    const composed = await composeConfig({ ...splitArguments(args), env: io.env, cwd: io.cwd });
    return {
      tree: composed.tree,
      wrong: wrongKeys(composed, io),
      sourceOf: (_, node) => {
        const source = sourceOf(node);
        return source.kind === "file" ? placeText(source, io.cwd) : sourceText(source);
      },
    };
  }
  if (args.length > 1) {
    throw cliErrors.VERL_CLI_USAGE({
      what: `The run ${folders[0]} stands for what it ran with; nothing can be added to it.`,
      fix: `Name its file instead: ${path.join(folders[0], CONFIG_FILE)}.`,
    });
  }
  return runSide(folders[0], io);
}

/** What a run kept: every value, with the source that it had then. */
async function runSide(folder: string, io: CommandIo): Promise<Side> {
  const run = await RunFolder.open(path.resolve(io.cwd, folder));
  if (run.config === null) {
    throw cliErrors.VERL_CLI_USAGE({
      what: `The run ${folder} kept no ${CONFIG_FILE}.`,
      fix: "Compare files instead.",
    });
  }
  const { text, tree } = run.config;
  const sources = printedSources(text);
  return { tree, wrong: [], sourceOf: (key) => sources.get(key) ?? "default" };
}

function changeOf({ key, before, after }: KeyDifference, from: Side, to: Side, io: CommandIo): Change | null {
  const shown = (node: Node | null, side: Side) =>
    node && { value: masked(key, toPlain(node), io), source: side.sourceOf(key, node) };
  const [old, now] = [shown(before, from), shown(after, to)];
  // A run does not keep its secrets, so whether they differ cannot be said.
  const isKept = [before, after].some((node) => node?.kind === "scalar" && node.value === MASK);
  if (isKept && old?.value === MASK && now?.value === MASK) return null;
  const follows = old?.source === "default" && now?.source === "default";
  return { key, before: old, after: now, follows };
}

function masked(key: string, value: JsonValue, io: CommandIo): JsonValue {
  const name = key.split(".").at(-1) as string;
  return (maskSecrets({ [name]: value }, io.env) as Record<string, JsonValue>)[name];
}

function changeText({ key, before, after }: Change, io: CommandIo): string {
  const paint = painter(io.color.stdout);
  const line = (mark: "-" | "+", side: Change["before"]) =>
    side &&
    `  ${paint(mark === "-" ? "red" : "green", `${mark} ${valueText(side.value)}`)}  ${paint("dim", side.source)}`;
  return [paint("bold", key), line("-", before), line("+", after)].filter((text) => text !== null).join("\n");
}

/** Relative where the file lies below the working directory. */
function placeText({ file, line, column }: { file: string; line: number; column: number }, cwd: string): string {
  const relative = path.relative(cwd, file);
  return `${relative.startsWith("..") ? file : relative}:${line}:${column}`;
}

async function isFolder(name: string, io: CommandIo): Promise<boolean> {
  return (await stat(path.resolve(io.cwd, name)).catch(() => null))?.isDirectory() === true;
}
