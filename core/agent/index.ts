/** Public entry of the agent room: loops, their manager, and what they store. */

export type * from "./agent-loop.js";
export { AgentLoopBase } from "./agent-loop-base.js";
export type { CheckedOutput } from "./check-output.js";
export { checkOutput } from "./check-output.js";
export * from "./continuous-tokens/index.js";
export { agentErrors } from "./errors.js";
export type { AgentLoopSource } from "./loop-config.js";
export { agentLoopFinder } from "./loop-config.js";
export type { AgentLoopClass } from "./loop-from-export.js";
export { agentLoopFromExport } from "./loop-from-export.js";
export { agentLoopManager, InProcessAgentLoopManager } from "./manager.js";
export type * from "./manager-factory.js";
export { type MergedSample, type ModelCall, mergeTrajectories } from "./merge-trajectories.js";
export type { PaddedBatch, PadOptions, UnpaddedTrajectory } from "./postprocess.js";
export { padTrajectories } from "./postprocess.js";
export type { AgentSettings } from "./settings.js";
export { agentSettings } from "./settings.js";
export { SingleTurnAgentLoop, singleTurnAgent } from "./single-turn.js";
export { tokenTexts } from "./token-texts.js";
export { composeToolParser, type ToolParserForm } from "./tool-parsers/compose-tool-parser.js";
export { builtinToolParsers } from "./tool-parsers/index.js";
export { joinEvents, parseToolCalls } from "./tool-parsers/parse-tool-calls.js";
export type * from "./tool-parsers/tool-parser.js";
export { type Trained, trajectoryRecord } from "./trajectory-record.js";
export type { TrajectoryFields, TrajectoryPlace } from "./trajectory-row.js";
export { toRow, trajectoryTag } from "./trajectory-row.js";
export { truncateToolResponse } from "./truncate-tool-response.js";
