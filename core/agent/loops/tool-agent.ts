import type { ChatMessage } from "../../data/tokenizer.js";
import type { TokenOutput } from "../../rollout/rollout.js";
import type { AgentLoopContext, AgentLoopFactory, AgentLoopInput, AgentLoopOutput } from "../agent-loop.js";
import { ContinuousTokenBuilder } from "../continuous-tokens/builder.js";
import { versionRunsOf, versionsOf } from "../continuous-tokens/token-sample.js";
import { SimulatedUser } from "../interactions/simulated-user.js";
import { toolsKwargs } from "../prompts/row-tools.js";
import { parseToolCalls } from "../tool-parsers/parse-tool-calls.js";
import { THINK } from "../tool-parsers/prose.js";
import type { ParsedTurn } from "../tool-parsers/tool-parser.js";
import { assistantMessage, type RequestedCall, requestedCalls } from "../tools/requested-call.js";
import { type ToolCallRecord, ToolExecutor } from "../tools/tool-executor.js";
import { AgentLoopBase } from "./agent-loop-base.js";

/** Why a trajectory ended: the server's reason for its last turn, a limit of the conversation, or the simulated user. */
type End = TokenOutput["stopReason"] | "max_turns" | "user";

/** What was too long where a trajectory ended by length; `extraFields.truncation`. */
type Truncation = "response" | "turn" | "context" | "tool_results" | "user_message";

type Step =
  | { readonly state: "generating" }
  | { readonly state: "processing_tools"; readonly message: ChatMessage; readonly calls: readonly RequestedCall[] }
  | { readonly state: "interacting"; readonly message: ChatMessage }
  | { readonly state: "terminated"; readonly end: End; readonly truncation?: Truncation };

/** Who answers the model in one trajectory. */
interface Answering {
  readonly executor: ToolExecutor;
  readonly user: SimulatedUser | null;
}

/**
 * The model and its tools in turn, until it calls none or a limit is reached; with a simulated user, who answers the turns
 * without calls, until it ends the conversation. Every sampled token is kept as it is; answers are appended with mask 0.
 */
export class ToolAgentLoop extends AgentLoopBase {
  readonly #tokens: ContinuousTokenBuilder;
  readonly #stopTokenIds: readonly number[];
  readonly #records: ToolCallRecord[] = [];
  readonly #turnScores: number[] = [];
  #interactionFields: Readonly<Record<string, unknown>> = {};
  #messages: readonly ChatMessage[] = [];
  #promptLength = 0;
  #assistantTurns = 0;
  #userTurns = 0;
  #serverFields: Readonly<Record<string, unknown>> | null = null;

  constructor(context: AgentLoopContext) {
    super(context);
    const { tools, toolParser, tokenizer } = context;
    this.#tokens = new ContinuousTokenBuilder(context.turnEncoder(tools.schemas), context.media);
    this.#stopTokenIds = toolParser.stopTokens.flatMap((text) => tokenizer.tokenId(text) ?? []);
  }

  async run({ messages, row }: AgentLoopInput): Promise<readonly AgentLoopOutput[]> {
    const { tools, interactions, trajectoryId, multiTurn, signal, tracer, logger, media, preparePrompt } = this.context;
    const session = { trajectoryId, row, state: new Map<string, unknown>() };
    const scope = { session, toolsKwargs: toolsKwargs(row), signal, tracer, logger, media };
    const executor = new ToolExecutor(tools, multiTurn.toolCalls, scope);
    const prompt = await preparePrompt(messages, { tools: tools.schemas });
    this.#messages = prompt.messages;
    this.#tokens.start(prompt.messages, prompt.promptIds, prompt.media);
    this.#promptLength = prompt.promptIds.length;

    const deadlineMs = multiTurn.interactionDeadlineMs;
    const user = await SimulatedUser.begin(interactions, { row, trajectoryId, deadlineMs, signal, media, logger });
    try {
      let step: Step = { state: "generating" };
      while (step.state !== "terminated") step = await this.#next(step, { executor, user });
      return this.#outputs(step);
    } finally {
      await user?.finalize();
    }
  }

  #next(step: Exclude<Step, { state: "terminated" }>, { executor, user }: Answering): Promise<Step> {
    if (step.state === "processing_tools") return this.#answerCalls(step.message, step.calls, executor);
    if (step.state === "interacting" && user) return this.#interact(step.message, user);
    return this.#generateTurn({ executor, user });
  }

  async #generateTurn({ executor, user }: Answering): Promise<Step> {
    const { responseLength, multiTurn } = this.context;
    const before = this.#tokens.promptIds;
    const room = responseLength - this.#used(before);
    const allowed = Math.min(multiTurn.maxTurnTokens, room);
    const output = await this.generate(before, allowed, this.#stopTokenIds, this.#tokens.media);
    this.#serverFields ??= output.extraFields ?? {};
    this.#assistantTurns++;
    this.#tokens.addAssistant(output);

    const full = output.tokenIds.length >= room;
    if (full || output.stopReason === "length" || output.stopReason === "aborted") {
      // The limit wins over calls: what follows a complete one may have been part of the plan.
      this.#record(executor.refuse(requestedCalls(this.#parse(before, output.tokenIds))));
      if (output.stopReason === "aborted") return { state: "terminated", end: "aborted" };
      const truncation = full ? "response" : output.tokenIds.length >= allowed ? "turn" : "context";
      return { state: "terminated", end: "length", truncation };
    }
    if (this.#assistantTurns >= multiTurn.maxAssistantTurns || this.#userTurns >= multiTurn.maxUserTurns) {
      return { state: "terminated", end: "max_turns" };
    }
    const turn = this.#parse(before, output.tokenIds);
    const calls = this.#calls(turn);
    const message = assistantMessage(turn, calls);
    if (calls.length > 0) return { state: "processing_tools", message, calls };
    return user ? { state: "interacting", message } : { state: "terminated", end: output.stopReason };
  }

  async #answerCalls(message: ChatMessage, calls: readonly RequestedCall[], executor: ToolExecutor): Promise<Step> {
    const start = performance.now();
    const records = await executor.run(calls);
    this.spend("toolCalls", (performance.now() - start) / 1000);
    this.#record(records);
    const results = records.map((record) => record.message);
    if (!this.#append(message, results)) return { state: "terminated", end: "length", truncation: "tool_results" };
    this.#userTurns++;
    return { state: "generating" };
  }

  async #interact(message: ChatMessage, user: SimulatedUser): Promise<Step> {
    const start = performance.now();
    const { text, media = [], terminate, score, extra } = await user.respond([...this.#messages, message]);
    this.count("interaction", (performance.now() - start) / 1000);
    this.#interactionFields = { ...this.#interactionFields, ...extra };
    if (score != null) this.#turnScores.push(score);
    const plain = this.context.media.plain(text);
    const content = media.length === 0 ? plain : [...media, { type: "text", text: plain }];
    const fits = this.#append(message, [{ role: "user", content }]);
    if (fits) this.#userTurns++;
    if (terminate) return { state: "terminated", end: "user" };
    return fits ? { state: "generating" } : { state: "terminated", end: "length", truncation: "user_message" };
  }

  /** Add the messages that answer the model's; false, and nothing is added, where they leave no room for another turn. */
  #append(message: ChatMessage, answers: readonly ChatMessage[]): boolean {
    const previous = [...this.#messages, message];
    this.#messages = [...previous, ...answers];
    const plan = this.#tokens.plan(previous, this.#messages);
    if (this.#used(plan.promptIds) >= this.context.responseLength) return false;
    this.#tokens.apply(plan);
    return true;
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

  #outputs({
    end,
    truncation = null,
  }: {
    readonly end: End;
    readonly truncation?: Truncation | null;
  }): AgentLoopOutput[] {
    const samples = this.#tokens.samples.length > 0 ? this.#tokens.samples : [this.#tokens.current];
    return samples.map((sample, i) => ({
      promptIds: sample.promptIds,
      responseIds: sample.responseIds,
      responseMask: sample.responseMask,
      responseLogProbs: sample.responseLogProbs,
      ...(sample.media ? { multiModalData: sample.media } : {}),
      numTurns: this.#userTurns + this.#assistantTurns + 1,
      stopReason: i === samples.length - 1 ? end : "stop",
      minWeightVersion: versionsOf(sample)?.minWeightVersion ?? 0,
      maxWeightVersion: versionsOf(sample)?.maxWeightVersion ?? 0,
      weightVersions: versionRunsOf(sample),
      metrics: this.metrics,
      extraFields: {
        ...this.#serverFields,
        ...(truncation && i === samples.length - 1 ? { truncation } : {}),
        ...(Object.keys(this.#interactionFields).length > 0 ? { interaction: this.#interactionFields } : {}),
        turn_scores: this.#turnScores,
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
