export type * from "./contract.js";
export { createAgentLoopManager, type ManagerSource, managerMarks } from "./find-manager.js";
