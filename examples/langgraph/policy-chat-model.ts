import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { BaseMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import type { ChatMessage } from "verl-ts";
import { type AgentLoopContext, ContinuousTokenBuilder, parseToolCalls, type TokenOutput } from "verl-ts/plugin";
import { aiMessage, chatMessage } from "./messages.js";

/** What the model of one session is made from. */
export interface Policy {
  readonly context: AgentLoopContext;
  /** `AgentLoopBase.generate`. */
  generate(promptIds: readonly number[], maxTokens: number): Promise<TokenOutput>;
}

/**
 * The model in training as a chat model of LangChain, for one session. LangChain sees messages; beside them the tokens are kept:
 * what was sampled is never encoded again, and only what the graph has added since the last call is. Where the graph sends
 * another history, a new sample begins.
 */
export class PolicyChatModel extends BaseChatModel {
  readonly #builders: ContinuousTokenBuilder[] = [];
  /** The conversation behind the tokens of the last builder. */
  #known: readonly ChatMessage[] = [];
  #turns = 0;
  #stopReason = "stop";

  constructor(private readonly policy: Policy) {
    super({});
  }

  override _llmType(): string {
    return "verl-policy";
  }

  /** The run's tools are shown by its chat template. */
  override bindTools(): this {
    return this;
  }

  /** Training samples, in their order. */
  get samples() {
    return this.#builders.flatMap(({ samples }) => samples);
  }

  get turns(): number {
    return this.#turns;
  }

  get stopReason(): string {
    return this.#stopReason;
  }

  override async _generate(
    messages: BaseMessage[],
    _options: this["ParsedCallOptions"],
    _run?: CallbackManagerForLLMRun,
  ): Promise<ChatResult> {
    const { responseLength } = this.policy.context;
    const asked = messages.map(chatMessage);
    const tokens = this.#tokensFor(asked);
    const room = responseLength - tokens.current.responseIds.length;
    if (room <= 0) return this.#answer(asked, [], "length");
    const output = await this.policy.generate(tokens.promptIds, room);
    tokens.addAssistant(output);
    this.#turns++;
    return this.#answer(asked, output.tokenIds, output.stopReason);
  }

  #tokensFor(asked: readonly ChatMessage[]): ContinuousTokenBuilder {
    const { turnEncoder, encodePrompt, tools } = this.policy.context;
    const last = this.#builders.at(-1);
    const appended = JSON.stringify(asked.slice(0, this.#known.length)) === JSON.stringify(this.#known);
    if (last && appended) {
      last.addMessages(this.#known, asked);
      return last;
    }
    const tokens = new ContinuousTokenBuilder(turnEncoder(tools.schemas));
    tokens.start(asked, encodePrompt(asked, { tools: tools.schemas }));
    this.#builders.push(tokens);
    return tokens;
  }

  #answer(asked: readonly ChatMessage[], ids: readonly number[], stopReason: string): ChatResult {
    const { tokenizer, toolParser, tools, trajectoryId } = this.policy.context;
    const text = tokenizer.decode(ids, { skipSpecialTokens: true });
    const parsed = parseToolCalls(toolParser, text, { tools: tools.schemas });
    // What follows a call that a limit cut off may have been part of the plan: nothing of such a turn is executed.
    const turn = stopReason === "length" ? { ...parsed, calls: [], errors: [] } : parsed;
    const message = aiMessage(turn, (call) => `${trajectoryId}-${this.#turns}-${call}`, stopReason);
    this.#known = [...asked, chatMessage(message)];
    this.#stopReason = stopReason;
    return { generations: [{ text: turn.content, message }] };
  }
}
