import { expect } from "chai";
import { agentLoopFromExport, builtinToolParsers, ToolSet, TurnEncoder } from "../../../core/agent/index.js";
import { loadTokenizer } from "../../../core/data/index.js";
import {
  type AgentLoopContext,
  functionTool,
  type GenerateRequest,
  SessionMedia,
  textAlone,
} from "../../../core/plugin.js";
import { byteTokenizerFiles } from "../../../examples/common/byte-tokenizer.js";
import { ReactAgent } from "../../../examples/langgraph/react-agent.js";
import { agentLoopConformance, runConformance, ScriptedClient } from "../../../testing/index.js";

const toolParser = builtinToolParsers.find(({ name }) => name === "hermes")!;
const add = functionTool(({ a, b }) => String(Number(a) + Number(b)), {
  name: "add",
  description: "Adds.",
  parameters: { type: "object", properties: { a: { type: "integer" }, b: { type: "integer" } }, required: ["a", "b"] },
});
const call = (args: object) => `<tool_call>${JSON.stringify({ name: "add", arguments: args })}</tool_call>`;

runConformance(
  "examples/langgraph/react-agent",
  agentLoopConformance({
    factory: agentLoopFromExport("react_agent", ReactAgent),
    tools: [add],
    toolParser,
    answers: [call({ a: 1, b: 2 }), "3"],
  }),
  { describe, it },
);

const tokenizer = await loadTokenizer(byteTokenizerFiles());

describe("examples/langgraph/react-agent", () => {
  const messages = [{ role: "user", content: "1+2" }];

  async function played(answers: readonly string[], over: Partial<AgentLoopContext> = {}) {
    const client = new ScriptedClient(answers.map((text) => ({ tokenIds: [...tokenizer.encode(text), 1] })));
    const tools = await ToolSet.of([add]);
    const encoder = new TurnEncoder(tokenizer, { modelType: "llama", tools: tools.schemas });
    const encodePrompt: AgentLoopContext["encodePrompt"] = (asked, { tools: shown } = {}) =>
      tokenizer.encodeChat(asked, { addGenerationPrompt: true, ...(shown ? { tools: shown } : {}) });
    const { signal } = new AbortController();
    const context: AgentLoopContext = {
      client,
      tokenizer,
      promptLength: 64,
      responseLength: 400,
      trajectoryId: "u_0",
      seed: 1,
      sampling: { temperature: 1, topP: 1, topK: -1, logProbs: true },
      applyChatTemplateKwargs: {},
      encodePrompt,
      preparePrompt: async (asked, shown) => ({ messages: asked, promptIds: encodePrompt(asked, shown), media: [] }),
      media: new SessionMedia(textAlone(tokenizer), signal),
      tools,
      interactions: new Map(),
      toolParser,
      turnEncoder: () => encoder,
      multiTurn: {
        maxAssistantTurns: Infinity,
        maxUserTurns: Infinity,
        maxTurnTokens: Infinity,
        interactionDeadlineMs: 1000,
        maxParallelCalls: 1,
        toolCalls: { deadlineMs: 1000, maxResponseLength: 256, truncateSide: "middle" },
      },
      options: {},
      signal,
      logger: { debug() {}, info() {}, warn() {}, error() {} },
      ...over,
    };
    const outputs = await new ReactAgent(context).run({ messages, row: {}, validate: false });
    return { outputs, requests: client.requests as readonly GenerateRequest[] };
  }

  it("keeps every sampled token, and sends what was sent before and what is new", async () => {
    // JSON that nobody would write again: encoding the parsed call anew would give other tokens.
    const odd = '<tool_call>{ "name":"add",  "arguments":{"b":2,"a":1} }</tool_call>';
    const { outputs, requests } = await played([odd, "3"]);
    expect(outputs).to.have.length(1);
    const [{ promptIds, responseIds, responseMask, responseLogProbs, numTurns, stopReason }] = outputs;
    expect(tokenizer.decode(promptIds)).to.equal("<|system|>add<|end|><|user|>1+2<|end|><|assistant|>");
    expect(tokenizer.decode(responseIds)).to.equal(`${odd}<|end|><|tool|>3<|end|><|assistant|>3<|end|>`);
    expect(tokenizer.decode(responseIds.filter((_, t) => responseMask[t] === 1))).to.equal(`${odd}<|end|>3<|end|>`);
    expect(responseLogProbs).to.deep.equal(responseMask.map((bit) => (bit === 1 ? -0.5 : 0)));
    expect(requests[1].promptIds).to.deep.equal([...promptIds, ...responseIds.slice(0, -2)]);
    expect([numTurns, stopReason]).to.deep.equal([4, "stop"]);
  });

  it("lets the model read what is wrong with its arguments", async () => {
    const { outputs } = await played([call({ a: 1 }), "?"]);
    expect(tokenizer.decode(outputs[0].responseIds)).to.match(/<\|tool\|>Error: .* did not match expected schema/);
  });

  it("ends with the tokens that it has when the graph's steps are used up", async () => {
    const { outputs, requests } = await played([call({ a: 1, b: 2 })], { options: { recursion_limit: 4 } });
    expect(outputs[0].stopReason).to.equal("max_turns");
    expect(requests).to.have.length(2);
  });

  it("does not execute the calls of a turn that a limit cut off", async () => {
    const { outputs } = await played([`${call({ a: 1, b: 2 })} and more`], { responseLength: 50 });
    expect(outputs[0].stopReason).to.equal("length");
    expect(outputs[0].responseIds).to.have.length(50);
    expect(outputs[0].responseMask).to.not.include(0);
  });
});
