import {
  composeConfig,
  configKeys,
  type Deprecation,
  explainKey,
  inspectConfig,
  type KeyExplanation,
  maskSecrets,
  type Notice,
  type Problem,
  printConfig,
  problemsError,
  searchKeys,
  sinceText,
  toPlain,
  untilText,
  valueText,
} from "../core/config/index.js";
import { isVerlError } from "../core/host/basics.js";
import type { Host } from "../core/index.js";
import { type CommandIo, painter, printJson, printLine } from "./io.js";
import { askPlan, type PlanAnswer } from "./plan-check.js";
import { type ConfigRequest, printNotices, startHost, whatIsRegistered } from "./prepare-run.js";
import { EXIT } from "./report-error.js";

/** `verl config print`: the composed configuration, references resolved, secrets masked. */
export async function printCommand(request: ConfigRequest & { sources: boolean }, io: CommandIo): Promise<number> {
  const { tree, notices } = await composeConfig({ ...request, env: io.env, cwd: io.cwd });
  if (request.json) printJson(io, maskSecrets(toPlain(tree), io.env));
  else {
    printNotices(notices, io);
    io.stdout.write(printConfig(tree, { sources: request.sources, env: io.env }));
  }
  return EXIT.ok;
}

/** `verl config check`: every problem at once, without starting anything. */
export async function checkCommand(request: ConfigRequest, io: CommandIo): Promise<number> {
  const composed = await composeConfig({ ...request, env: io.env, cwd: io.cwd });
  const host = await startHost(request, composed.plugins, io);
  try {
    const found = await inspectConfig(composed, { ...(await whatIsRegistered(host)), cwd: io.cwd, forTraining: true });
    const { config } = found;
    const own = [...found.problems, ...(await unknownPlatform(host, config.trainer.device))];
    const answer = await askPlan(composed, config, own, { host, io });
    const problems = "checked" in answer ? [...own, ...answer.checked.problems] : own;
    const notices = [...found.notices, ...(problems.length > 0 ? [] : planNotices(answer))];
    if (request.json) {
      printJson(io, { ok: problems.length === 0, problems, notices });
      return problems.length === 0 ? EXIT.ok : EXIT.usage;
    }
    printNotices(notices, io);
    if (problems.length > 0) throw problemsError(problems);
    printLine(io.stdout, "The configuration is sound.");
    return EXIT.ok;
  } finally {
    await host.dispose();
  }
}

/** What engines and servers warn of, and who could not be asked. */
function planNotices(answer: PlanAnswer): Notice[] {
  const silent = (who: string, why: string): Notice => ({
    level: "notice",
    key: "",
    message: `${who} not asked whether they can do this: ${why}. A start would tell.`,
  });
  if (!("checked" in answer)) return [silent("Engine and server were", answer.why)];
  const { warnings, unasked } = answer.checked;
  return unasked.length === 0
    ? [...warnings]
    : [
        ...warnings,
        silent(`${unasked.join(" and ")} ${unasked.length > 1 ? "were" : "was"}`, "their plugins have no check"),
      ];
}

/** A platform that no plugin registers. Whether this machine has the one that is named is no matter of the configuration. */
async function unknownPlatform(host: Host, device: string): Promise<Problem[]> {
  try {
    await host.services({ device });
  } catch (error) {
    if (!isVerlError(error)) throw error;
    if (error.code !== "VERL_PLATFORM_UNKNOWN") return [];
    const { what, why, fix } = error;
    return [{ code: "VERL_CONFIG_NAME", key: "trainer.device", what, why, fix }];
  }
  return [];
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
  const explanation = explainKey(key, await composeConfig({ ...request, env: io.env, cwd: io.cwd }));
  const shown = { ...explanation, ...("value" in explanation ? maskedValue(key, explanation, io) : {}) };
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

function explanationText(explanation: KeyExplanation, io: CommandIo): string {
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
  if (deprecation) rows.push(...deprecationRows(deprecation));
  if (registry) rows.push(["names", `what is registered under ${registry}; see verl plugins tree`]);
  const lines = [paint("bold", key), `  ${description}`];
  for (const [name, text] of rows) lines.push(`  ${paint("cyan", name.padEnd(8))} ${text}`);
  if (keys) lines.push(...keys.map((inner) => `  ${inner}`));
  return lines.join("\n");
}
