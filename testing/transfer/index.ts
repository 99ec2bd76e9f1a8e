export type { Fault, QueueCall } from "./faulty-queue.js";
export { FaultyQueue } from "./faulty-queue.js";
export type { QueueUnderTest } from "./queue-conformance.js";
export { transferQueueConformance } from "./queue-conformance.js";
export type { ReplayBufferUnderTest } from "./replay-buffer-conformance.js";
export { replayBufferConformance } from "./replay-buffer-conformance.js";
