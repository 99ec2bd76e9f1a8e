import { type BlockedFrame, foreignFrame, type Installation, placeOf } from "./blocked-stack.js";
import { type BlockedError, MAIN_KEY } from "./board.js";
import { type PausedMain, pauseMain } from "./pause-main.js";
import { sayError } from "./say.js";

/** What is said of code that blocks the main thread. */
export interface BlockedCode {
  readonly error: BlockedError;
  /** The error goes to standard output, as JSON. */
  readonly json?: boolean;
  readonly exitCode: number;
  /** Native code cannot be paused: so long the debugger tries. */
  readonly killAfterMs: number;
  readonly installation: Installation;
}

const NATIVE = "in native code, or in a call that waits for something outside of the process";

/**
 * From a worker: names the place where the main thread hangs, and ends the process. `process.exit` in a worker would end
 * that thread only: the blocked one is made to exit through its debugger.
 */
export async function endBlocked(blocked: BlockedCode): Promise<void> {
  const { error, exitCode, json = false, killAfterMs, installation } = blocked;
  const kill = setTimeout(() => {
    sayError({ where: NATIVE, ...error }, exitCode, json);
    process.kill(process.pid, "SIGKILL");
  }, killAfterMs);
  await pauseMain(async (main) => {
    clearTimeout(kill);
    const frame = foreignFrame(main.frames, installation) ?? main.frames[0];
    sayError({ where: placeOf(frame), ...error }, exitCode, json);
    await exitMain(main, frame, exitCode);
    return "done";
  });
}

/** Ends the process from a pause, without the listeners of `exit`. */
export async function exitMain(main: PausedMain, frame: BlockedFrame, exitCode: number): Promise<void> {
  const kill = () => process.kill(process.pid, "SIGKILL");
  // Where even that does not work.
  setTimeout(kill, 5000);
  await main.evaluate(`globalThis.process.reallyExit(${exitCode})`, frame).catch(kill);
}

/** An expression over the main thread's side of the watch. */
export const mainSide = (call: string): string => `globalThis["${MAIN_KEY}"].${call}`;
