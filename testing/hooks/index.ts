export { type HooksUnderTest, hooksConformance } from "./hooks-conformance.js";
export { type HookCall, recordingCheckpointCallback, recordingHooks, type Save } from "./recorders.js";
