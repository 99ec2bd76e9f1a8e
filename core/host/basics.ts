/** Public entry for what must start fast: errors, lines for the log, folders, nearest names. Loads nothing else. */

export * from "./errors.js";
export { type LogLevel, lineLogger, prefixed, stderrLogger } from "./logger.js";
export type * from "./types.js";
export { type CalmLogger, calmLogger } from "./util/calm-logger.js";
export { endProcess } from "./util/end-process.js";
export { listenOn, whyNotListening } from "./util/listen.js";
export { makeFolder } from "./util/make-folder.js";
export { didYouMean, nearestName } from "./util/nearest.js";
export { requireWritableFile, requireWritableFolder } from "./util/require-writable.js";
