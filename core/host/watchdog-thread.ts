/** The thread behind {@link Watchdog}. Runs only as a worker. */
import { writeSync } from "node:fs";
import { type Debugger, Session } from "node:inspector";
import { parentPort, workerData } from "node:worker_threads";
import type { WatchOrder } from "./watchdog.js";

const STDERR = 2;
const { sequence, beats, exitCode } = workerData as { sequence: Int32Array; beats: Int32Array; exitCode: number };

/** A thread that shows no life for so long is blocked; a busy machine lets any thread wait a while. */
const STILL_MS = 1500;

parentPort!.on("message", (order: WatchOrder) => {
  const isOpen = () => Atomics.load(sequence, 0) === order.sequence;
  const look = () => {
    const seen = Atomics.load(beats, 0);
    setTimeout(() => {
      if (!isOpen()) return;
      if (Atomics.load(beats, 0) === seen) endProcess(order);
      else look();
    }, STILL_MS);
  };
  setTimeout(() => isOpen() && look(), order.deadlineMs);
});

/** `process.exit` in this thread would end this thread only: the blocked one is made to exit through its debugger. */
function endProcess({ code, label, fix, deadlineMs }: WatchOrder): void {
  say(`${code}: ${label} blocks the process for more than ${deadlineMs / 1000} s without yielding.`);
  const session = new Session();
  const urls = new Map<string, string>();
  session.on("Debugger.scriptParsed", ({ params }) => urls.set(params.scriptId, params.url));
  session.on("Debugger.paused", ({ params }) => {
    say(`  where: ${placeOf(params.callFrames, urls)}`);
    say(`  fix:   ${fix}`);
    const { callFrameId } = params.callFrames[0];
    session.post("Debugger.evaluateOnCallFrame", { callFrameId, expression: `process.reallyExit(${exitCode})` });
  });
  // Native code cannot be paused. The debugger gets as long as the loading had: the machine may be slow.
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
