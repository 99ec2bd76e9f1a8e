import { fileURLToPath } from "node:url";
import { reasonOf, VerlError } from "../../core/host/basics.js";
import { cliErrors } from "../errors.js";
import type { CommandIo } from "../program/io.js";
import { EXIT, reportError } from "../program/report-error.js";

/**
 * A command that ends without saying so has failed, and says that: Node leaves silently when nothing is left to wait for,
 * and with whatever code somebody hands to `process.exit`, 0 included. Returns the function that ends the watch.
 */
export function guardExit(io: CommandIo, json: boolean): () => void {
  let ranDry = false;
  let crashed = false;
  const onDry = () => {
    ranDry = true;
  };
  const onCrash = () => {
    crashed = true;
  };
  /** What nobody else watches for: a timer of the user's that throws while a command only looks. */
  const onStray = (error: unknown) => {
    if (process.listenerCount("uncaughtException") > 1) return;
    process.exit(reportError(strayError(error), io, json));
  };
  const onExit = () => {
    // A crash has printed itself, and a run that is aborted for good leaves with this code.
    if (crashed || process.exitCode === EXIT.interrupted) return;
    const error = ranDry ? cliErrors.VERL_CLI_STALLED({ what: STALLED }) : exited(process.exitCode);
    process.exitCode = reportError(error, io, json);
  };
  process.on("beforeExit", onDry);
  process.on("uncaughtExceptionMonitor", onCrash);
  process.on("uncaughtException", onStray);
  process.on("exit", onExit);
  return () => {
    process.off("beforeExit", onDry);
    process.off("uncaughtExceptionMonitor", onCrash);
    process.off("uncaughtException", onStray);
    process.off("exit", onExit);
  };
}

const STALLED = "The command waits for something that will never come: nothing is left running that could bring it.";

/** Of our own errors the stack is kept; what comes out of other files, or is no Error at all, is code that was named or loaded. */
function strayError(error: unknown): unknown {
  const [frame] = framesOf(error);
  if (frame?.includes(OWN_CODE)) return error;
  return new VerlError("VERL_USER_UNHANDLED", {
    what: `Code that the command has loaded left an error unhandled in the background: ${reasonOf(error)}`,
    ...(frame ? { where: frame } : {}),
    fix: frame
      ? "Await what the file starts, or catch its errors there."
      : "Await what is started and catch inside of callbacks; `throw new Error(reason)` and `reject(new Error(reason))` tell the line.",
    cause: error,
  });
}

const OWN_CODE = fileURLToPath(new URL("..", import.meta.url));

/** The lines of a stack outside of Node.js; none of what is no Error. */
function framesOf(error: unknown): string[] {
  try {
    const lines = error instanceof Error ? String(error.stack).split("\n") : [];
    return lines.filter((line) => /^\s+at /.test(line) && !/[ (]node:/.test(line)).map((line) => line.trim().slice(3));
  } catch {
    return [];
  }
}

function exited(code: typeof process.exitCode) {
  const stack = new Error().stack?.split("\n") ?? [];
  const call = stack.findIndex((line) => /\bprocess\.exit \(node:/.test(line));
  const caller = call < 0 ? undefined : stack.slice(call + 1).find((line) => !line.includes("node:"));
  return cliErrors.VERL_CLI_EXITED({
    what: `process.exit(${code ?? ""}) was called before the command was finished.`,
    ...(caller ? { where: caller.trim().replace(/^at /, "") } : {}),
  });
}
