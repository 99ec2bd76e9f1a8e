export type * from "./contract.js";
export { createAgentLoopManager, type ManagerSource, managerMarks, sequenceManager } from "./find-manager.js";
