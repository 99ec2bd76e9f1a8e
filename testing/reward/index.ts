export { rewardManagerOptions } from "./manager-options.js";
export type { RewardManagerUnderTest } from "./reward-manager-conformance.js";
export { rewardManagerConformance } from "./reward-manager-conformance.js";
export type { RewardModelUnderTest } from "./reward-model-conformance.js";
export { rewardModelConformance } from "./reward-model-conformance.js";
export type { ScorerUnderTest } from "./scorer-conformance.js";
export { scorerConformance } from "./scorer-conformance.js";
