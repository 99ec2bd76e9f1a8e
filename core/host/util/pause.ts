import { setTimeout as sleep } from "node:timers/promises";
import { timerMs } from "./deadline.js";

/** Waits for so many milliseconds, also for more than a timer can hold; rejects with the signal's own reason when it is aborted meanwhile. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  for (let left = ms; ; left -= timerMs(left)) {
    await sleep(timerMs(left), null, { signal }).catch((error: unknown) => {
      signal?.throwIfAborted();
      throw error;
    });
    if (left <= timerMs(left)) return;
  }
}
