/** Public entry of the tracking room: the tracker contract and the statistics that are tracked. */

export { AtomicFile } from "../formats/atomic-file.js";
export { type DataMetricsInput, type DataMetricsOptions, dataMetrics } from "./data-metrics.js";
export { trackingErrors } from "./errors.js";
export { formatDuration, formatNumber, formatValue, reachedText } from "./format.js";
export {
  KEY_METRICS,
  type KeyMetric,
  keyMetric,
  nameOf,
  STALENESS,
  type ValidationScore,
  validationScores,
} from "./key-metrics.js";
export { mediaFileName, mediaFolder } from "./media-folder.js";
export { combineRanks, combineSteps } from "./metrics.js";
export { MetricsAggregator, reduceByName } from "./metrics-aggregator.js";
export type { MetricsLine } from "./metrics-file.js";
export { cutMetrics, maskNonFinite, metricsLine, parseMetricsLine, readMetrics, unmask } from "./metrics-file.js";
export { expertCounts, loadBalanceMetrics, type RoutedExperts } from "./moe-load-balance.js";
export { NumpyRandom } from "./numpy-random.js";
export * from "./page/index.js";
export {
  type SpeculativeRequest,
  speculativeMetrics,
  throughputMetrics,
  timingMetrics,
} from "./performance-metrics.js";
export { passAtK } from "./resampling.js";
export {
  CONFIG_FILE,
  dumpFiles,
  METRICS_FILE,
  NOTE_FILE,
  type RecordedPlugin,
  RUN_FILES,
  RunFolder,
  type RunNote,
  SAMPLES_FILE,
  type SavedConfig,
  type TrajectoryFile,
  writeRunFiles,
} from "./run-folder.js";
export { sparkline } from "./sparkline.js";
export { StepClock } from "./step-clock.js";
export type * from "./tracker.js";
export type { TrackerSet } from "./tracker-set.js";
export { checkTrackers, createTrackerSet } from "./tracker-set.js";
export {
  cutTrajectories,
  parseTrajectories,
  readTrajectories,
  trajectoryFields,
  trajectoryLine,
} from "./trajectory-file.js";
export { gapStatistics, type Segment, segmentsOf, tokenGaps } from "./trajectory-view.js";
export {
  nameValidationMetrics,
  type ValidationOptions,
  type ValidationSamples,
  type ValidationStatistics,
  type ValidationValue,
  validationStandardErrors,
  validationStatistics,
} from "./validation-metrics.js";
export { type VarianceProxyInput, varianceProxy } from "./variance-proxy.js";
export { replaceFile, written } from "./written.js";
