/** The thread behind {@link Watchdog}. Runs only as a worker. */
import { parentPort, workerData } from "node:worker_threads";
import { endBlocked } from "./end-blocked.js";
import type { WatchOrder } from "./watchdog.js";

const { sequence, beats, exitCode } = workerData as { sequence: Int32Array; beats: Int32Array; exitCode: number };

/** A thread that shows no life for so long is blocked; a busy machine lets any thread wait a while. */
const STILL_MS = 1500;

parentPort!.on("message", (order: WatchOrder) => {
  const isOpen = () => Atomics.load(sequence, 0) === order.sequence;
  const look = () => {
    const seen = Atomics.load(beats, 0);
    setTimeout(() => {
      if (!isOpen()) return;
      // The debugger gets as long as the loading had: the machine may be slow.
      if (Atomics.load(beats, 0) === seen) endBlocked({ ...order, killAfterMs: order.deadlineMs }, exitCode);
      else look();
    }, STILL_MS);
  };
  setTimeout(() => isOpen() && look(), order.deadlineMs);
});
