import type { AgentLoopFactory } from "../agent-loop.js";
import { partialSingleTurnAgent, partialToolAgent } from "./partial-loops.js";
import { singleTurnAgent } from "./single-turn.js";
import { toolAgent } from "./tool-agent.js";

export const builtinAgentLoops: readonly AgentLoopFactory[] = [
  singleTurnAgent,
  toolAgent,
  partialSingleTurnAgent,
  partialToolAgent,
];
