import { setTimeout as sleep } from "node:timers/promises";

/** Waits for so many milliseconds; rejects with the signal's own reason when it is aborted meanwhile. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await sleep(ms, null, { signal }).catch((error: unknown) => {
    signal?.throwIfAborted();
    throw error;
  });
}
