export type * from "./contract.js";
export { createAgentLoopManager, type ManagerSource } from "./find-manager.js";
