/** Public entry for what must start fast: errors, lines for the log, folders, nearest names. Loads nothing else. */
export { type CalmLogger, calmLogger } from "./calm-logger.js";
export { endProcess } from "./end-process.js";
export * from "./errors.js";
export { listenOn, whyNotListening } from "./listen.js";
export { type LogLevel, lineLogger, prefixed, stderrLogger } from "./logger.js";
export { makeFolder } from "./make-folder.js";
export { didYouMean, nearestName } from "./nearest.js";
export { requireWritableFile, requireWritableFolder } from "./require-writable.js";
export type * from "./types.js";
