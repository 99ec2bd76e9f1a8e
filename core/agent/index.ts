/** Public entry of the agent room. */
export { type MergedSample, type ModelCall, mergeTrajectories } from "./merge-trajectories.js";
export { truncateToolResponse } from "./truncate-tool-response.js";
