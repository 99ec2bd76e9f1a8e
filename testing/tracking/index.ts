export { MemoryTracker, memoryTrackerFactory } from "./memory-tracker.js";
export { fakeRunInfo, fakeTrajectory } from "./run-info.js";
export type { TrackerUnderTest } from "./tracker-conformance.js";
export { trackerConformance } from "./tracker-conformance.js";
