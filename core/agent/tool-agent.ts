import type { ChatMessage } from "../data/tokenizer.js";
import type { TokenOutput } from "../rollout/rollout.js";
import type { AgentLoopContext, AgentLoopFactory, AgentLoopInput, AgentLoopOutput } from "./agent-loop.js";
import { AgentLoopBase } from "./agent-loop-base.js";
import { ContinuousTokenBuilder } from "./continuous-tokens/builder.js";
import { versionsOf } from "./continuous-tokens/token-sample.js";
import { toolsKwargs } from "./row-tools.js";
import { parseToolCalls } from "./tool-parsers/parse-tool-calls.js";
import { THINK } from "./tool-parsers/prose.js";
import type { ParsedTurn } from "./tool-parsers/tool-parser.js";
import { assistantMessage, type RequestedCall, requestedCalls } from "./tools/requested-call.js";
import { type ToolCallRecord, ToolExecutor } from "./tools/tool-executor.js";

/** Why a trajectory ended: the server's reason for its last turn, or a limit of the conversation. */
type End = TokenOutput["stopReason"] | "max_turns";

type Step =
  | { readonly state: "generating" }
  | { readonly state: "processing_tools"; readonly message: ChatMessage; readonly calls: readonly RequestedCall[] }
  | { readonly state: "terminated"; readonly end: End };

/**
 * The model and its tools in turn, until it calls none or a limit is reached. Every sampled token is kept as it is; what
 * tools answer is appended with mask 0.
 */
export class ToolAgentLoop extends AgentLoopBase {
  readonly #tokens: ContinuousTokenBuilder;
  readonly #stopTokenIds: readonly number[];
  readonly #records: ToolCallRecord[] = [];
  #messages: readonly ChatMessage[] = [];
  #promptLength = 0;
  #assistantTurns = 0;
  #userTurns = 0;
  #serverFields: Readonly<Record<string, unknown>> | null = null;

  constructor(context: AgentLoopContext) {
    super(context);
    const { tools, toolParser, tokenizer } = context;
    this.#tokens = new ContinuousTokenBuilder(context.turnEncoder(tools.schemas));
    this.#stopTokenIds = toolParser.stopTokens.flatMap((text) => tokenizer.tokenId(text) ?? []);
  }

  async run({ messages, row }: AgentLoopInput): Promise<readonly AgentLoopOutput[]> {
    const { tools, trajectoryId, multiTurn, signal, logger, encodePrompt } = this.context;
    const session = { trajectoryId, row, state: new Map<string, unknown>() };
    const scope = { session, toolsKwargs: toolsKwargs(row), signal, logger };
    const executor = new ToolExecutor(tools, multiTurn.toolCalls, scope);
    this.#messages = messages;
    const { appendedIds } = this.#tokens.start(messages, encodePrompt(messages, { tools: tools.schemas }));
    this.#promptLength = appendedIds.length;

    let step: Step = { state: "generating" };
    while (step.state !== "terminated") {
      step =
        step.state === "generating"
          ? await this.#generateTurn(executor)
          : await this.#answerCalls(step.message, step.calls, executor);
    }
    return this.#outputs(step.end);
  }

  async #generateTurn(executor: ToolExecutor): Promise<Step> {
    const { responseLength, multiTurn } = this.context;
    const before = this.#tokens.promptIds;
    const output = await this.generate(before, responseLength - this.#used(before), this.#stopTokenIds);
    this.#serverFields ??= output.extraFields ?? {};
    this.#assistantTurns++;
    this.#tokens.addAssistant(output);

    const limit = this.#used(this.#tokens.promptIds) >= responseLength;
    if (limit || output.stopReason === "length" || output.stopReason === "aborted") {
      // The limit wins over calls: what follows a complete one may have been part of the plan.
      const end = output.stopReason === "aborted" ? "aborted" : "length";
      this.#record(executor.refuse(requestedCalls(this.#parse(before, output.tokenIds))));
      return { state: "terminated", end };
    }
    if (this.#assistantTurns >= multiTurn.maxAssistantTurns || this.#userTurns >= multiTurn.maxUserTurns) {
      return { state: "terminated", end: "max_turns" };
    }
    const turn = this.#parse(before, output.tokenIds);
    const calls = this.#calls(turn);
    if (calls.length === 0) return { state: "terminated", end: output.stopReason };
    return { state: "processing_tools", message: assistantMessage(turn, calls), calls };
  }

  async #answerCalls(message: ChatMessage, calls: readonly RequestedCall[], executor: ToolExecutor): Promise<Step> {
    const start = performance.now();
    const records = await executor.run(calls);
    this.spend("toolCalls", (performance.now() - start) / 1000);
    this.#record(records);

    const previous = [...this.#messages, message];
    this.#messages = [...previous, ...records.map((record) => record.message)];
    const plan = this.#tokens.plan(previous, this.#messages);
    // Results that leave no room for an answer are not trained on.
    if (this.#used(plan.promptIds) >= this.context.responseLength) return { state: "terminated", end: "length" };
    this.#tokens.apply(plan);
    this.#userTurns++;
    return { state: "generating" };
  }

  /** Tokens of the conversation after its first prompt, also where a split has moved them into a prompt. */
  #used(ids: readonly number[]): number {
    return ids.length - this.#promptLength;
  }

  /** The calls that are honoured; further ones stay in the tokens alone. */
  #calls(turn: ParsedTurn): readonly RequestedCall[] {
    return requestedCalls(turn).slice(0, this.context.multiTurn.maxParallelCalls);
  }

  #parse(promptIds: readonly number[], ids: readonly number[]): ParsedTurn {
    const { tokenizer, toolParser, tools } = this.context;
    const { padTokenId, eosTokenId, stopTokenIds } = tokenizer;
    const turn = parseToolCalls(toolParser, tokenizer.decode(ids), {
      tools: tools.schemas,
      padToken: tokenizer.decode([padTokenId]),
      ...(eosTokenId === null ? {} : { eosToken: tokenizer.decode([eosTokenId]) }),
      startsInThought: tokenizer.decode(promptIds.slice(-THOUGHT_TOKENS)).trimEnd().endsWith(THINK.open),
    });
    const last = ids.at(-1);
    const end = last !== undefined && stopTokenIds.includes(last) ? tokenizer.decode([last]) : "";
    const content = end !== "" && turn.content.endsWith(end) ? turn.content.slice(0, -end.length) : turn.content;
    return { ...turn, content };
  }

  #record(records: readonly ToolCallRecord[]): void {
    for (const record of records) {
      this.#records.push(record);
      this.count("tool/calls");
      this.count(`tool/${record.outcome}`);
      if (record.truncated) this.count("tool/truncated");
      for (const [name, value] of Object.entries(record.metrics)) this.count(`tool/${record.tool}/${name}`, value);
    }
  }

  #outputs(end: End): AgentLoopOutput[] {
    const samples = this.#tokens.samples.length > 0 ? this.#tokens.samples : [this.#tokens.current];
    return samples.map((sample, i) => ({
      promptIds: sample.promptIds,
      responseIds: sample.responseIds,
      responseMask: sample.responseMask,
      responseLogProbs: sample.responseLogProbs,
      numTurns: this.#userTurns + this.#assistantTurns + 1,
      stopReason: i === samples.length - 1 ? end : "stop",
      minWeightVersion: versionsOf(sample)?.minWeightVersion ?? 0,
      maxWeightVersion: versionsOf(sample)?.maxWeightVersion ?? 0,
      metrics: this.metrics,
      extraFields: {
        ...this.#serverFields,
        turn_scores: [],
        tool_rewards: this.#records.flatMap(({ reward }) => reward ?? []),
        tool_calls: this.#records.map(({ tool, outcome, message }) => ({ tool, outcome, message })),
      },
    }));
  }
}

/** Enough tokens for a tag that opens a thought, and the white space after it. */
const THOUGHT_TOKENS = 16;

export const toolAgent: AgentLoopFactory = {
  name: "tool_agent",
  aliases: ["tool"],
  create: (context) => new ToolAgentLoop(context),
};
