import { versionRuns } from "../../rollout/index.js";
import type { AgentLoopFactory, AgentLoopInput, AgentLoopOutput } from "../agent-loop.js";
import { cutRuns } from "../trajectories/version-runs.js";
import { AgentLoopBase } from "./agent-loop-base.js";

/** One prompt, one answer. */
export class SingleTurnAgentLoop extends AgentLoopBase {
  async run({ messages }: AgentLoopInput): Promise<AgentLoopOutput> {
    const { responseLength, preparePrompt } = this.context;
    const { promptIds, media } = await preparePrompt(messages);
    const output = await this.generate(promptIds, undefined, [], media);
    const versions = versionRuns(output);
    const responseIds = output.tokenIds.slice(0, responseLength);
    return {
      promptIds,
      responseIds,
      responseMask: responseIds.map(() => 1 as const),
      responseLogProbs: output.logProbs?.slice(0, responseLength) ?? null,
      ...(media.length > 0 ? { multiModalData: media } : {}),
      numTurns: 2,
      stopReason: output.tokenIds.length > responseLength ? "length" : output.stopReason,
      minWeightVersion: output.minWeightVersion,
      maxWeightVersion: output.maxWeightVersion,
      weightVersions: versions && cutRuns(versions, responseIds.length),
      metrics: this.metrics,
      extraFields: { ...output.extraFields, turn_scores: [], tool_rewards: [] },
    };
  }
}

export const singleTurnAgent: AgentLoopFactory = {
  name: "single_turn_agent",
  aliases: ["single_turn"],
  rendersTools: false,
  create: (context) => new SingleTurnAgentLoop(context),
};
