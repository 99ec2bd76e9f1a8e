import { setImmediate } from "node:timers/promises";

/**
 * What a promise was rejected with that nobody awaits surfaces after this turn of the event loop: work that has ended waits
 * for it, or the error would be Node's to print.
 */
export const surfaced = (): Promise<void> => setImmediate();
