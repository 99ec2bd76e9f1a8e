import { AgentLoopBase, type AgentLoopFactory, type AgentLoopInput, type AgentLoopOutput } from "verl-ts/plugin";

/**
 * One prompt, one answer. A loop of several turns appends what tools say to the token ids with mask 0 and generates again; it never
 * encodes anew what the model wrote.
 */
class Loop extends AgentLoopBase {
  async run({ messages }: AgentLoopInput): Promise<AgentLoopOutput> {
    const { encodePrompt, responseLength } = this.context;
    const promptIds = encodePrompt(messages);
    const output = await this.generate(promptIds);
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
      metrics: this.metrics,
      extraFields: {},
    };
  }
}

export const loop: AgentLoopFactory = { name: "__SHORT__", create: (context) => new Loop(context) };
