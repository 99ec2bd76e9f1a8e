import { writeSync } from "node:fs";
import { type Debugger, Session } from "node:inspector";

const STDERR = 2;

/** What is said of code that blocks the main thread. */
export interface BlockedCode {
  readonly code: string;
  readonly label: string;
  readonly fix: string;
  /** After so long it is ended. */
  readonly deadlineMs: number;
  /** Native code cannot be paused: so long the debugger tries. */
  readonly killAfterMs: number;
}

/**
 * From a worker: names the place where the main thread hangs, and ends the process. `process.exit` in a worker would end
 * that thread only: the blocked one is made to exit through its debugger.
 */
export function endBlocked({ code, label, fix, deadlineMs, killAfterMs }: BlockedCode, exitCode: number): void {
  say(`${code}: ${label} blocks the process for more than ${deadlineMs / 1000} s without yielding.`);
  setTimeout(() => {
    say("  where: in native code, or in a call that waits for something outside of the process");
    say(`  fix:   ${fix}`);
    process.kill(process.pid, "SIGKILL");
  }, killAfterMs);
  pauseMain((place, evaluate) => {
    say(`  where: ${place}`);
    say(`  fix:   ${fix}`);
    evaluate(`process.reallyExit(${exitCode})`);
  });
}

/** From a worker: pauses the main thread in JavaScript, evaluates there what `paused` asks for, and lets it go on. */
export function pauseMain(
  paused: (place: string, evaluate: (expression: string, then?: () => void) => void) => void,
): void {
  const session = new Session();
  const urls = new Map<string, string>();
  session.on("Debugger.scriptParsed", ({ params }) => urls.set(params.scriptId, params.url));
  session.on("Debugger.paused", ({ params }) => {
    const { callFrameId } = params.callFrames[0];
    paused(placeOf(params.callFrames, urls), (expression, then) =>
      session.post("Debugger.evaluateOnCallFrame", { callFrameId, expression }, () => then?.()),
    );
    session.post("Debugger.resume");
    session.post("Debugger.disable", () => session.disconnect());
  });
  session.connectToMainThread();
  session.post("Debugger.enable");
  session.post("Debugger.pause");
}

/** The innermost frame that lies in a file. */
function placeOf(frames: readonly Debugger.CallFrame[], urls: ReadonlyMap<string, string>): string {
  const frame = frames.find((f) => urls.get(f.location.scriptId)?.startsWith("file:")) ?? frames[0];
  const name = frame.functionName === "" ? "top level" : frame.functionName;
  const { scriptId, lineNumber, columnNumber } = frame.location;
  return `${name} (${urls.get(scriptId) ?? "?"}:${lineNumber + 1}:${(columnNumber ?? 0) + 1})`;
}

/** Past the streams of Node.js, which need the main thread. */
export function say(line: string): void {
  writeSync(STDERR, `${line}\n`);
}
