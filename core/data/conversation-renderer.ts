import { isVerlError } from "../host/errors.js";
import type { JsonValue, Logger } from "../host/types.js";
import { plainText } from "./plain-text.js";
import type { ChatMessage, Tokenizer } from "./tokenizer.js";
import { tokenizerErrors } from "./tokenizer-errors.js";
import { type CallForm, malformedArguments, probeCallForm, withCallForm } from "./tool-call-form.js";
import { warnOnce } from "./warn-once.js";

export interface ConversationOptions {
  readonly tools?: readonly JsonValue[];
  /** Variables of the template. */
  readonly kwargs?: Readonly<Record<string, unknown>>;
  /** Told once of each way in which messages had to be rearranged. */
  readonly logger?: Pick<Logger, "warn">;
}

/**
 * Renders messages as agents and clients write them, by whatever template the model has: tool arguments in the form that the
 * template needs, and system messages where it accepts them. A template that refuses a conversation is tried again with
 *
 * - all system messages joined into one at the front, in their order, and
 * - an empty user message after them, whose text is taken out of the result, where no user speaks.
 *
 * If it still refuses, its own error is thrown, or `VERL_DATA_TOOL_ARGUMENTS` where arguments that are no JSON object are at fault.
 */
export class ConversationRenderer {
  #form: CallForm | null = null;
  readonly #logger: Pick<Logger, "warn"> | undefined;

  constructor(
    private readonly tokenizer: Pick<Tokenizer, "renderChat" | "encode">,
    private readonly options: ConversationOptions = {},
  ) {
    this.#logger = options.logger && warnOnce(options.logger);
  }

  render(messages: readonly ChatMessage[], addGenerationPrompt: boolean): string {
    let refusal: unknown;
    try {
      return this.renderAsIs(messages, addGenerationPrompt);
    } catch (error) {
      if (!isTemplateFailure(error)) throw error;
      refusal = error;
    }
    const systemFirst = withSystemFirst(messages);
    const attempts = [
      { arranged: systemFirst, emptyUser: false, how: "system messages are joined into one at the front" },
      {
        arranged: messages,
        emptyUser: true,
        how: "a conversation without user is rendered with an empty user message",
      },
      {
        arranged: systemFirst,
        emptyUser: true,
        how: "system messages are joined, and an empty user message is put after",
      },
    ];
    for (const { arranged, emptyUser, how } of attempts) {
      if (arranged === null || (emptyUser && arranged.some(({ role }) => role === "user"))) continue;
      const text = this.#attempt(arranged, emptyUser, addGenerationPrompt);
      if (text === null) continue;
      this.#logger?.warn(`${how}, for the chat template refuses them otherwise`);
      return text;
    }
    const malformed = malformedArguments(messages);
    if (malformed) throw tokenizerErrors.VERL_DATA_TOOL_ARGUMENTS({ ...malformed, cause: refusal });
    throw refusal;
  }

  /** Tool arguments in the template's form, everything else as it stands. */
  renderAsIs(messages: readonly ChatMessage[], addGenerationPrompt: boolean): string {
    const { tools, kwargs } = this.options;
    const template = (list: readonly ChatMessage[], options: { addGenerationPrompt: boolean }) =>
      this.tokenizer.renderChat(list, {
        ...options,
        ...(tools && tools.length > 0 ? { tools } : {}),
        ...(kwargs ? { kwargs } : {}),
      });
    if (messages.some(({ tool_calls }) => Array.isArray(tool_calls))) {
      this.#form ??= probeCallForm((list) => template(list, { addGenerationPrompt: false }));
      messages = withCallForm(messages, this.#form);
    }
    return template(messages, { addGenerationPrompt });
  }

  /** `render` then `encode`, without adding special tokens again. */
  encode(messages: readonly ChatMessage[], addGenerationPrompt: boolean): number[] {
    return this.tokenizer.encode(this.render(messages, addGenerationPrompt), { addSpecialTokens: false });
  }

  #attempt(messages: readonly ChatMessage[], emptyUser: boolean, addGenerationPrompt: boolean): string | null {
    try {
      if (!emptyUser) return this.renderAsIs(messages, addGenerationPrompt);
      return this.#withoutUser(messages, addGenerationPrompt);
    } catch (error) {
      if (isTemplateFailure(error)) return null;
      throw error;
    }
  }

  /** Renders with an empty user message after the system messages, and takes its text out again. */
  #withoutUser(messages: readonly ChatMessage[], addGenerationPrompt: boolean): string | null {
    const user: ChatMessage = { role: "user", content: "" };
    const at = messages.findIndex(({ role }) => role !== "system");
    const head = at < 0 ? messages : messages.slice(0, at);
    const one = this.renderAsIs([...head, user], false);
    const two = this.renderAsIs([...head, user, user], false);
    const turn = two.startsWith(one) ? two.slice(one.length) : null;
    if (turn === null || !one.endsWith(turn)) return null;
    const whole = this.renderAsIs([...head, user, ...messages.slice(head.length)], addGenerationPrompt);
    return whole.startsWith(one) ? one.slice(0, one.length - turn.length) + whole.slice(one.length) : null;
  }
}

/** One system message at the front with the texts of all; null where that changes nothing. */
function withSystemFirst(messages: readonly ChatMessage[]): readonly ChatMessage[] | null {
  const systems = messages.filter(({ role }) => role === "system");
  if (systems.length === 0 || (systems.length === 1 && messages[0] === systems[0])) return null;
  const texts = systems.map(({ content }) => plainText(content));
  if (texts.includes(null)) return null;
  const content = texts.filter((text) => text !== "").join("\n\n");
  return [{ ...systems[0], content }, ...messages.filter(({ role }) => role !== "system")];
}

/** Whether the template failed on these messages, which others might not. */
export function isTemplateFailure(error: unknown): boolean {
  if (!isVerlError(error)) return true;
  return error.code === "VERL_DATA_CHAT_TEMPLATE_REFUSED" || error.code === "VERL_DATA_CHAT_TEMPLATE_FAILED";
}
