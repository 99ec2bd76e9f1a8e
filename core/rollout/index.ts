export type { BalancerOptions } from "./balancer.js";
export { createLoadBalancer } from "./balancer.js";
export type { LlmClientOptions } from "./llm-client.js";
export { createLlmClient, tokenBudget } from "./llm-client.js";
export { poolErrors } from "./pool-errors.js";
export type { ReplicaSet } from "./replica-set.js";
export { createReplicaSet } from "./replica-set.js";
export type * from "./rollout.js";
