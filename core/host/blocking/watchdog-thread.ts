/** The thread behind {@link Watchdog}. Runs only as a worker. */
import { parentPort, workerData } from "node:worker_threads";
import { BlockedClock } from "./blocked-clock.js";
import { endBlocked } from "./end-blocked.js";
import { thisInstallation } from "./installation.js";
import type { WatchOrder } from "./watchdog.js";

const { sequence, beats, exitCode } = workerData as { sequence: Int32Array; beats: Int32Array; exitCode: number };

const LOOK_MS = 100;
/** A thread that shows no life for so long is blocked; a busy machine lets any thread wait a while. */
const STILL_MS = 1500;

parentPort!.on("message", ({ sequence: number, deadlineMs, code, label, fix }: WatchOrder) => {
  const clock = new BlockedClock(LOOK_MS);
  let passedMs = 0;
  let stillMs = 0;
  let seen = Atomics.load(beats, 0);
  const timer = setInterval(() => {
    if (Atomics.load(sequence, 0) !== number) return clearInterval(timer);
    const ms = clock.look(true);
    const beat = Atomics.load(beats, 0);
    passedMs += ms;
    stillMs = beat === seen && passedMs >= deadlineMs ? stillMs + ms : 0;
    seen = beat;
    if (stillMs < STILL_MS) return;
    clearInterval(timer);
    const what = `${label} blocks the process for more than ${deadlineMs / 1000} s without yielding.`;
    // The debugger gets as long as the loading had: the machine may be slow.
    const times = { exitCode, killAfterMs: deadlineMs };
    void endBlocked({ error: { code, what, fix }, ...times, installation: thisInstallation() });
  }, LOOK_MS);
});
