export { rewardManagerOptions } from "./manager-options.js";
export type { RewardManagerUnderTest } from "./reward-manager-conformance.js";
export { rewardManagerConformance } from "./reward-manager-conformance.js";
