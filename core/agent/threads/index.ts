export { LoopThreads, type StartAgentThread } from "./loop-threads.js";
export type { DriverCalls, ThreadedLoop, ThreadSession, ThreadTask } from "./protocol.js";
export { threadMethods } from "./thread-methods.js";
export type { AgentThread } from "./thread-slot.js";
