import { cliErrors } from "./errors.js";
import type { CommandIo } from "./io.js";
import { EXIT, reportError } from "./report-error.js";

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
  const onExit = () => {
    // A crash has printed itself, and a run that is aborted for good leaves with this code.
    if (crashed || process.exitCode === EXIT.interrupted) return;
    const error = ranDry ? cliErrors.VERL_CLI_STALLED({ what: STALLED }) : exited(process.exitCode);
    process.exitCode = reportError(error, io, json);
  };
  process.on("beforeExit", onDry);
  process.on("uncaughtExceptionMonitor", onCrash);
  process.on("exit", onExit);
  return () => {
    process.off("beforeExit", onDry);
    process.off("uncaughtExceptionMonitor", onCrash);
    process.off("exit", onExit);
  };
}

const STALLED = "The command waits for something that will never come: nothing is left running that could bring it.";

function exited(code: typeof process.exitCode) {
  const stack = new Error().stack?.split("\n") ?? [];
  const call = stack.findIndex((line) => /\bprocess\.exit \(node:/.test(line));
  const caller = call < 0 ? undefined : stack.slice(call + 1).find((line) => !line.includes("node:"));
  return cliErrors.VERL_CLI_EXITED({
    what: `process.exit(${code ?? ""}) was called before the command was finished.`,
    ...(caller ? { where: caller.trim().replace(/^at /, "") } : {}),
  });
}
