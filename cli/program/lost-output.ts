import { cliErrors } from "../errors.js";
import type { CommandIo } from "./io.js";
import { EXIT, reportError } from "./report-error.js";

/**
 * What is printed may go to a file on a full disk. That ends no run; it is said once, on standard error, and the command is not a success.
 * A reader that went away (`verl … | head`) has had what it wanted. Gives the exit code that stands.
 */
export function watchOutputs(
  io: CommandIo,
  streams: { readonly stdout: NodeJS.WritableStream; readonly stderr: NodeJS.WritableStream },
): (code: number) => number {
  let isLost = false;
  streams.stdout.on("error", (cause: NodeJS.ErrnoException) => {
    if (cause.code === "EPIPE" || isLost) return;
    isLost = true;
    // It may come after the command's end.
    process.exitCode ||= EXIT.failed;
    const where = "standard output";
    const what = "What the command prints cannot be written.";
    reportError(cliErrors.VERL_CLI_OUTPUT({ what, where, why: cause.message, cause }), io, false);
  });
  // Nowhere to say it.
  streams.stderr.on("error", () => {});
  return (code) => (isLost && code === EXIT.ok ? EXIT.failed : code);
}
