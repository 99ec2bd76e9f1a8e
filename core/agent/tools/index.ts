/** Tools: their contract, where they come from, and how calls are executed. */
export { BadToolArguments } from "./bad-arguments.js";
export {
  type FunctionToolContext,
  type FunctionToolOptions,
  functionTool,
  type StandardSchema,
} from "./function-tool.js";
export { type LoadedTools, loadTools, type ToolSource } from "./load-tools.js";
export { assistantMessage, type RequestedCall, requestedCalls } from "./requested-call.js";
export {
  BaseTool,
  type JsonObject,
  type Tool,
  type ToolResult,
  type ToolSchemaDefinition,
  type ToolSession,
} from "./tool.js";
export { readToolEntries, type ToolEntry } from "./tool-entry.js";
export { type ToolCallLimits, type ToolCallRecord, ToolExecutor, type ToolOutcome } from "./tool-executor.js";
export type { ToolFactory, ToolFactoryOptions, ToolGroup } from "./tool-factory.js";
export { ToolSet } from "./tool-set.js";
