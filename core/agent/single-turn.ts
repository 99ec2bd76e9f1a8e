import type { AgentLoop, AgentLoopContext, AgentLoopFactory, AgentLoopInput, AgentLoopOutput } from "./agent-loop.js";
import { agentErrors } from "./errors.js";

/** One prompt, one answer. */
export class SingleTurnAgentLoop implements AgentLoop {
  constructor(private readonly context: AgentLoopContext) {}

  async run({ messages }: AgentLoopInput): Promise<AgentLoopOutput> {
    const { client, trajectoryId, sampling, seed, responseLength, signal } = this.context;
    const promptIds = this.context.encodePrompt(messages);
    const start = performance.now();
    const output = await client.generate({ requestId: trajectoryId, promptIds, sampling, seed }, { signal });
    const generateSequences = (performance.now() - start) / 1000;
    if (output.stopReason === "error") {
      throw agentErrors.VERL_AGENT_GENERATION_FAILED({ what: `request ${trajectoryId} ended with an error` });
    }
    const responseIds = output.tokenIds.slice(0, responseLength);
    return {
      promptIds,
      responseIds,
      responseMask: responseIds.map(() => 1 as const),
      responseLogProbs: output.logProbs?.slice(0, responseLength) ?? null,
      numTurns: 2,
      stopReason: output.tokenIds.length > responseLength ? "length" : output.stopReason,
      minWeightVersion: output.minWeightVersion,
      maxWeightVersion: output.maxWeightVersion,
      metrics: { generateSequences, toolCalls: 0, computeScore: 0, numPreempted: output.numPreempted ?? -1 },
      extraFields: { ...output.extraFields, turn_scores: [], tool_rewards: [] },
    };
  }
}

export const singleTurnAgent: AgentLoopFactory = {
  name: "single_turn_agent",
  create: (context) => new SingleTurnAgentLoop(context),
};
