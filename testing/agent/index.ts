export type { AgentLoopUnderTest } from "./agent-loop-conformance.js";
export { agentLoopConformance } from "./agent-loop-conformance.js";
export type { Answer } from "./scripted-client.js";
export { ScriptedClient } from "./scripted-client.js";
export type { ToolParserUnderTest } from "./tool-parser-conformance.js";
export { toolParserConformance } from "./tool-parser-conformance.js";
export type { ToyTokenizerOptions } from "./toy-tokenizer.js";
export { createToyTokenizer } from "./toy-tokenizer.js";
