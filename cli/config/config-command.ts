import {
  composeConfig,
  configKeys,
  type Deprecation,
  explainKey,
  type KeyExplanation,
  maskSecrets,
  type Problem,
  printConfig,
  problemsError,
  searchKeys,
  sinceText,
  toPlain,
  untilText,
  valueText,
} from "../../core/config/index.js";
import { type CommandIo, painter, printJson, printLine } from "../program/io.js";
import { EXIT, errorCard, exitCodeOf } from "../program/report-error.js";
import { type ConfigRequest, printNotices } from "../runs/prepare-run.js";
import { wrongKeys } from "./wrong-keys.js";

/**
 * `verl config print`: the composed configuration, references resolved, secrets masked. Whoever prints one wants to see it, so wrong
 * keys and values are printed as they are, and told on standard error; the exit code keeps scripts from going on with it.
 */
export async function printCommand(request: ConfigRequest & { sources: boolean }, io: CommandIo): Promise<number> {
  const composed = await composeConfig({ ...request, env: io.env, cwd: io.cwd });
  const { tree, notices } = composed;
  if (request.json) printJson(io, maskSecrets(toPlain(tree), io.env));
  else {
    printNotices(notices, io);
    io.stdout.write(printConfig(tree, { sources: request.sources, env: io.env }));
  }
  const wrong = wrongKeys(composed, io);
  if (wrong.length === 0) return EXIT.ok;
  const error = problemsError(wrong);
  printLine(io.stderr, errorCard(error, io.color.stderr));
  return exitCodeOf(error);
}

/** `verl config explain --search WORD…`: the keys that hold the words; without any, all keys. */
export function searchKeysCommand(words: readonly string[], { json }: { json: boolean }, io: CommandIo): number {
  const found = words.length === 0 ? configKeys : searchKeys(words);
  if (json) {
    const keys = found.map(({ key, typeText, description }) => ({ key, type: typeText, description }));
    printJson(io, keys);
    return EXIT.ok;
  }
  if (found.length === 0) printLine(io.stderr, `No key holds ${words.join(" and ")}.`);
  const width = found.reduce((longest, { key }) => Math.max(longest, key.length), 0);
  const paint = painter(io.color.stdout);
  for (const { key, description } of found) printLine(io.stdout, `${paint("bold", key.padEnd(width))}  ${description}`);
  return EXIT.ok;
}

/** `verl config explain KEY`: type, default, value and source. */
export async function explainKeyCommand(key: string, request: ConfigRequest, io: CommandIo): Promise<number> {
  const composed = await composeConfig({ ...request, env: io.env, cwd: io.cwd });
  const explanation = explainKey(key, composed);
  const wrong = wrongKeys(composed, io).find((problem) => problem.key === key);
  const shown = {
    ...explanation,
    ...("value" in explanation ? maskedValue(key, explanation, io) : {}),
    ...(wrong === undefined ? {} : { problem: wrong }),
  };
  if (request.json) printJson(io, shown);
  else printLine(io.stdout, explanationText(shown, io));
  return EXIT.ok;
}

function maskedValue(key: string, { value }: KeyExplanation, io: CommandIo): Pick<KeyExplanation, "value"> {
  const name = key.split(".").at(-1) as string;
  return { value: (maskSecrets({ [name]: value ?? null }, io.env) as Record<string, KeyExplanation["value"]>)[name] };
}

function deprecationRows({ kind, instead, since, until }: Deprecation): [string, string][] {
  return [
    ...(since ? ([[kind, sinceText(since)]] as [string, string][]) : []),
    ...(until ? ([["until", `${untilText(until)}: then the old name is an error`]] as [string, string][]) : []),
    ...(instead ? ([["instead", `${instead}; see verl config explain ${instead}`]] as [string, string][]) : []),
  ];
}

function explanationText(explanation: KeyExplanation & { readonly problem?: Problem }, io: CommandIo): string {
  const paint = painter(io.color.stdout);
  const { key, description, type, unit, differs, registry, keys, deprecation } = explanation;
  const rows: [string, string][] = [];
  if (type) rows.push(["type", unit ? `${type} (${unit})` : type]);
  if ("default" in explanation) rows.push(["default", JSON.stringify(explanation.default)]);
  if (differs) {
    rows.push([
      "in verl",
      `${differs.verl === undefined ? "no such key" : JSON.stringify(differs.verl)}; here ${differs.why}`,
    ]);
  }
  if ("value" in explanation) rows.push(["value", `${valueText(explanation.value)} (${explanation.source})`]);
  if (explanation.problem) rows.push(["refused", explanation.problem.what]);
  if (deprecation) rows.push(...deprecationRows(deprecation));
  if (registry) rows.push(["names", `what is registered under ${registry}; see verl plugins tree`]);
  const lines = [paint("bold", key), `  ${description}`];
  for (const [name, text] of rows) lines.push(`  ${paint("cyan", name.padEnd(8))} ${text}`);
  if (keys) lines.push(...keys.map((inner) => `  ${inner}`));
  return lines.join("\n");
}
