import { END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { AgentLoopBase, type AgentLoopInput, type AgentLoopOutput } from "verl-ts/plugin";
import { PolicyChatModel } from "./policy-chat-model.js";
import { langchainTools } from "./run-tools.js";

/**
 * A ReAct agent of LangGraph as an agent loop: the graph decides what happens next, the model in training is its chat model,
 * and the session's tokens are those of that model.
 */
export class ReactAgent extends AgentLoopBase {
  async run({ messages, row }: AgentLoopInput): Promise<readonly AgentLoopOutput[]> {
    const { context } = this;
    const session = { trajectoryId: context.trajectoryId, row, state: new Map<string, unknown>() };
    const tools = langchainTools(context, session);
    const model = new PolicyChatModel({
      context,
      generate: (promptIds, maxTokens) => this.generate(promptIds, maxTokens),
    });
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("agent", async (state) => ({ messages: [await model.invoke(state.messages)] }))
      .addNode("tools", new ToolNode(tools))
      .addEdge(START, "agent")
      .addConditionalEdges("agent", toolsCondition, ["tools", END])
      .addEdge("tools", "agent")
      .compile();

    const recursionLimit = Number(context.options.recursion_limit ?? 25);
    const input = messages.map(({ role, content }) => ({ role, content: String(content) }));
    let ended = "";
    try {
      await graph.invoke({ messages: input }, { recursionLimit, signal: context.signal });
    } catch (error) {
      // A model that never stops calling has used its turns up: that is a trajectory, with the tokens that it has.
      if (!(error instanceof Error && error.name === "GraphRecursionError")) throw error;
      ended = "max_turns";
    }
    return this.#outputs(model, ended || model.stopReason);
  }

  #outputs(model: PolicyChatModel, stopReason: string): AgentLoopOutput[] {
    return model.samples.map(({ promptIds, responseIds, responseMask, responseLogProbs, spans }) => ({
      promptIds,
      responseIds,
      responseMask,
      responseLogProbs,
      numTurns: 2 * model.turns,
      stopReason,
      minWeightVersion: Math.min(...spans.map((span) => span.minWeightVersion)),
      maxWeightVersion: Math.max(...spans.map((span) => span.maxWeightVersion)),
      metrics: this.metrics,
      extraFields: {},
    }));
  }
}
