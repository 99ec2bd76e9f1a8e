export { type HookCall, recordingCheckpointCallback, recordingHooks, type Save } from "./recorders.js";
