/** The thread behind {@link watchCall}. Runs only as a worker. */
import { workerData } from "node:worker_threads";
import { type CallBoard, SIGNALS_KEY, type WatchedCall } from "./call-watch.js";
import { endBlocked, pauseMain, say } from "./end-blocked.js";

const { state, text, exitCode } = workerData as CallBoard;

const LOOK_MS = 250;
/** On top of the deadline: what is nearly done may finish. */
const GRACE_MS = 2000;
/** After so long it is said that something holds the process. */
const NOTICE_MS = 5000;
/** Native code cannot be paused. */
const KILL_AFTER_MS = 10_000;

let current = 0;
let since = 0;
let noticed = false;
let ending = false;

setInterval(() => {
  const number = Atomics.load(state, 0);
  if (number !== current) {
    current = number;
    since = performance.now();
    noticed = false;
  }
  if (number % 2 === 0 || ending) return;
  const ms = performance.now() - since;
  const call = read(number);
  if (!call) return;
  if (ms > call.deadlineMs + GRACE_MS) {
    ending = true;
    endBlocked({ ...call, killAfterMs: KILL_AFTER_MS }, exitCode);
  } else if (!noticed && ms > NOTICE_MS) {
    noticed = true;
    notice(call, number);
  }
}, LOOK_MS);

/** What is running; null where it ended while it was read. */
function read(number: number): WatchedCall | null {
  const bytes = text.slice(0, Atomics.load(state, 1));
  return Atomics.load(state, 0) === number ? JSON.parse(new TextDecoder().decode(bytes)) : null;
}

/** A thread that does not yield hears no signal: their default action ends it. */
function notice({ label, deadlineMs }: WatchedCall, number: number): void {
  pauseMain((place, evaluate) => {
    if (Atomics.load(state, 0) !== number) return;
    const limit = `it is ended after ${deadlineMs / 1000} s`;
    evaluate(
      `globalThis[Symbol.for("${SIGNALS_KEY}")] = ["SIGINT", "SIGTERM"].map((name) => [name, process.listeners(name)]);` +
        `for (const name of ["SIGINT", "SIGTERM"]) process.removeAllListeners(name);`,
      // Not before: a signal that a listener still takes is lost.
      () => say(`warn: ${label} holds the process for ${NOTICE_MS / 1000} s, in ${place}; ${limit}, by Ctrl-C at once`),
    );
    Atomics.store(state, 2, 1);
  });
}
