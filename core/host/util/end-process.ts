/**
 * Leaves the process, also where a thread waits for the file system: for a pipe without a writer, for a network folder that is gone.
 * `process.exit` runs the listeners of `exit` and then waits for such threads, without end. Where a moment later there still are any,
 * a signal ends the process after the listeners: SIGINT where the code is that of an interrupted command, which a shell sees alike,
 * otherwise SIGKILL.
 */
export function endProcess(code: number): void {
  if (process.platform === "win32" || !waitsForFiles()) process.exit(code);
  setTimeout(() => {
    if (waitsForFiles()) process.once("exit", () => endBySignal(code === INTERRUPTED ? "SIGINT" : "SIGKILL"));
    process.exit(code);
  }, MOMENT_MS);
}

const INTERRUPTED = 130;
/** What is read from a disk is there by then. */
const MOMENT_MS = 300;

/** Reads, writes and look-ups that are under way. */
function waitsForFiles(): boolean {
  return process.getActiveResourcesInfo().some((name) => name.startsWith("FSReq"));
}

function endBySignal(signal: "SIGINT" | "SIGKILL"): void {
  // Without a listener the signal has its default action.
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}
