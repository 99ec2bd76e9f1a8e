import { resumingClient } from "../../rollout/index.js";
import type { AgentLoopContext, AgentLoopFactory } from "../agent-loop.js";
import { SingleTurnAgentLoop } from "./single-turn.js";
import { ToolAgentLoop } from "./tool-agent.js";

/** The context with a client that goes on after a weight update has interrupted it; the loop sees whole turns. */
export function interruptible(context: AgentLoopContext): AgentLoopContext {
  return { ...context, client: resumingClient(context.client, context) };
}

/** `single_turn_agent` whose answer is continued by new weights where an update interrupts it. */
export const partialSingleTurnAgent: AgentLoopFactory = {
  name: "partial_single_turn_agent",
  rendersTools: false,
  create: (context) => new SingleTurnAgentLoop(interruptible(context)),
};

/** `tool_agent` whose turns are continued by new weights where an update interrupts them. */
export const partialToolAgent: AgentLoopFactory = {
  name: "partial_tool_agent",
  aliases: ["async_partial_tool_agent"],
  create: (context) => new ToolAgentLoop(interruptible(context)),
};
