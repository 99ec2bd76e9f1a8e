import { hanging, isVerlError, reasonOf, type VerlError } from "../../core/host/basics.js";
import { type CommandIo, painter, printJson, printLine } from "./io.js";

export const EXIT = { ok: 0, failed: 1, usage: 2, finished: 3, interrupted: 130 } as const;

/** Errors of the user's input: command line, configuration, named files (data, models, rewards) and plugins. */
const USAGE =
  /^VERL_((CLI|CONFIG|PLUGIN|USER|PLATFORM|REGISTRY|DATA|FORMATS)_|TRACKING_(BAD_FILE|NO_RUN)$|TRACKER_(BAD_SETTING|NO_PYTHON|NOT_INSTALLED|UNWRITABLE)$|DASHBOARD_NO_FOLDER$|TRACING_BAD_|(ROLLOUT|ONNX)_BAD_OPTION$|ROLLOUT_NO_QUANTIZATION$|REWARD_(BAD_(FUNCTION|HYBRID|POLICY|SERVER)|NO_(KEY|SCORER)|AMBIGUOUS_SCORER|MODEL_UNFIT|NOT_IN_WORKER)$|TRAINER_(NO_MODEL|TOKENIZER_TOO_LARGE|FOLDER_IN_USE|FOLDER_UNUSABLE|USER_PART|REPLAY)$)/;
/** Files that agents are made of: loops, tools, simulated users, managers, sandboxes. */
const AGENT_USAGE =
  /^VERL_(AGENT_(BAD_(INTERACTION|LIST|LOOP|MANAGER|ROW|TOOL)|MANAGER_REFUSED|NO_THREADS|UNKNOWN_LOOP)|TOOL_BAD_OPTION|MCP_(BAD_SERVERS|NO_PROGRAM|TOOL_NAMES)|SANDBOX_(BAD_OPTION|LANGUAGE|UNAVAILABLE))$/;
/** Settings that only those who read them refuse: engines, algorithms, the replay buffer, a checkpoint that is resumed. */
const SETTINGS =
  /^VERL_(ENGINE_(NOT_FOUND|NO_MEDIA|ONE_PROCESS|UNAVAILABLE)|ONNX_(BAD_(ADAPTER|CHECKPOINT)|NO_HEAD|OTHER_OPTIMIZER)|ROLLOUT_NO_MEDIA|ALGORITHMS_(BAD_VALUE|UNKNOWN_NAME)|REPLAY_CONFIG|TRAINER_(ENGINE_UNFIT|NEEDS_UNMET|RESUME_MISMATCH))$/;
/** These are not about what the user wrote on the command line. */
const NOT_USAGE: ReadonlySet<string> = new Set([
  "VERL_CLI_INTERNAL",
  "VERL_CLI_STALLED",
  "VERL_CLI_EXITED",
  // Code that failed in the middle of a run.
  "VERL_PLUGIN_UNHANDLED",
  "VERL_USER_UNHANDLED",
]);

export function exitCodeOf(error: unknown): number {
  if (isInterrupt(error)) return EXIT.interrupted;
  if (isVerlError(error) && error.code === "VERL_TRAINER_FINISHED") return EXIT.finished;
  if (!isVerlError(error) || NOT_USAGE.has(error.code)) return EXIT.failed;
  // Problems of a configuration keep the codes of whoever found them, a plugin's engine among them.
  if (Array.isArray(error.data?.problems)) return EXIT.usage;
  return [USAGE, AGENT_USAGE, SETTINGS].some((codes) => codes.test(error.code)) ? EXIT.usage : EXIT.failed;
}

/** Whether the configuration is at fault: the same one fails again. */
export const isOfSettings = (error: unknown): boolean =>
  isVerlError(error) && (SETTINGS.test(error.code) || error.code.startsWith("VERL_CONFIG_"));

/** Prints an error as a card on standard error, or as JSON on standard output, and returns the exit code. */
export function reportError(error: unknown, io: CommandIo, json: boolean): number {
  const code = exitCodeOf(error);
  if (json) printJson(io, { error: errorJson(error), exitCode: code });
  else if (code !== EXIT.interrupted) printLine(io.stderr, errorCard(error, io.color.stderr));
  return code;
}

export function errorJson(error: unknown): Record<string, unknown> {
  if (isVerlError(error)) return error.toJSON();
  const stack = error instanceof Error ? error.stack : undefined;
  return { code: "VERL_CLI_INTERNAL", what: reasonOf(error), ...(stack ? { stack } : {}) };
}

/** What, where, why, how to fix it. An error without a code is a defect: it keeps its stack. */
export function errorCard(error: unknown, color: boolean): string {
  const paint = painter(color);
  if (!isVerlError(error)) {
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return `${paint("red", "error")} ${paint("dim", "VERL_CLI_INTERNAL")}\n${indent(stack)}`;
  }
  const lines = [`${paint("red", "error")} ${paint("dim", error.code)}`, indent(error.what)];
  for (const part of ["where", "why", "fix"] as const) {
    const text = error[part];
    if (text) lines.push(`  ${paint(part === "fix" ? "green" : "cyan", `${part}:`.padEnd(7))}${hanging(text)}`);
  }
  for (const line of error.also ?? []) lines.push(`  ${paint("cyan", "also:  ")}${hanging(line)}`);
  const cause = causeLine(error);
  if (cause) lines.push(`  ${paint("cyan", "cause: ")}${cause}`);
  lines.push(paint("dim", `  verl explain ${error.code}`));
  return lines.join("\n");
}

function causeLine(error: VerlError): string | null {
  const { cause } = error;
  if (cause === undefined || cause === null) return null;
  const reason = reasonOf(cause).split("\n")[0];
  return error.why?.includes(reason) || error.what.includes(reason) ? null : reason;
}

function isInterrupt(error: unknown): boolean {
  if (isVerlError(error)) return error.code === "VERL_TRAINER_ABORTED";
  return error instanceof Error && (error.name === "AbortError" || error.name === "InterruptError");
}

const indent = (text: string): string =>
  text
    .split("\n")
    .map((line) => `  ${line}`)
    .join("\n");
