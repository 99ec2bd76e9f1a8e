/** The thread behind {@link Watchdog}. Runs only as a worker. */
import { writeSync } from "node:fs";
import { type Debugger, Session } from "node:inspector";
import { parentPort, workerData } from "node:worker_threads";
import type { WatchOrder } from "./watchdog.js";

const STDERR = 2;
const { sequence, exitCode } = workerData as { sequence: Int32Array; exitCode: number };

parentPort!.on("message", (order: WatchOrder) => {
  setTimeout(() => {
    if (Atomics.load(sequence, 0) === order.sequence) endProcess(order);
  }, order.deadlineMs);
});

/** `process.exit` in this thread would end this thread only: the blocked one is made to exit through its debugger. */
function endProcess({ label, deadlineMs }: WatchOrder): void {
  say(`VERL_PLUGIN_TIMEOUT: ${label} blocks the process for more than ${deadlineMs / 1000} s without yielding.`);
  const session = new Session();
  const urls = new Map<string, string>();
  session.on("Debugger.scriptParsed", ({ params }) => urls.set(params.scriptId, params.url));
  session.on("Debugger.paused", ({ params }) => {
    say(`  where: ${placeOf(params.callFrames, urls)}`);
    say("  fix:   leave the plugin out of the list, or report this to its author");
    const { callFrameId } = params.callFrames[0];
    session.post("Debugger.evaluateOnCallFrame", { callFrameId, expression: `process.reallyExit(${exitCode})` });
  });
  // Native code cannot be paused. The debugger gets as long as the plugin had: the machine may be slow.
  setTimeout(() => {
    say("  where: in native code, or in a call that waits for something outside of the process");
    process.kill(process.pid, "SIGKILL");
  }, deadlineMs);
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

function say(line: string): void {
  writeSync(STDERR, `${line}\n`);
}
