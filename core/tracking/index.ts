/** Public entry of the tracking room. */

export { trackingErrors } from "./errors.js";
export type { MetricsLine } from "./metrics-file.js";
export { cutMetrics, maskNonFinite, metricsLine, readMetrics, unmask } from "./metrics-file.js";
export type * from "./tracker.js";
export type { TrackerSet } from "./tracker-set.js";
export { createTrackerSet } from "./tracker-set.js";
