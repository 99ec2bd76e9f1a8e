import { ConversationRenderer, isTemplateFailure } from "../../data/conversation-renderer.js";
import type { ChatMessage, Tokenizer } from "../../data/tokenizer.js";
import type { Logger } from "../../host/types.js";
import type { TokenFamily } from "./family.js";
import type { EncodingOptions, OwnEncoding } from "./own-encoding.js";
import { USER_CONTEXTS } from "./synthetic-context.js";

/** The text of conversations, by the chat template or, where a model comes without one, its family's own encoding. */
export class ConversationText {
  /** Null where there is a template. */
  readonly encoding: OwnEncoding | null;
  readonly #renderer: ConversationRenderer;
  #ending: string | null = null;

  constructor(
    private readonly tokenizer: Tokenizer,
    private readonly family: TokenFamily,
    options: EncodingOptions & { readonly logger?: Pick<Logger, "warn"> },
  ) {
    this.encoding = (tokenizer.hasChatTemplate ? undefined : family.encoding)?.(options) ?? null;
    this.#renderer = new ConversationRenderer(tokenizer, options);
  }

  /** Rearranged where the template refuses the messages as they are. */
  render(messages: readonly ChatMessage[], addGenerationPrompt: boolean): string {
    if (this.encoding) return this.encoding.render(messages, addGenerationPrompt);
    return this.#cut(this.#renderer.render(messages, addGenerationPrompt), addGenerationPrompt);
  }

  /** As the messages are; null where the template refuses them. */
  attempt(messages: readonly ChatMessage[], addGenerationPrompt: boolean): string | null {
    if (this.encoding) return this.encoding.render(messages, addGenerationPrompt);
    try {
      return this.#cut(this.#renderer.renderAsIs(messages, addGenerationPrompt), addGenerationPrompt);
    } catch (error) {
      if (isTemplateFailure(error)) return null;
      throw error;
    }
  }

  /** Without what the template writes only where a conversation ends. */
  #cut(text: string, addGenerationPrompt: boolean): string {
    this.#ending ??= this.family.unconditionalPrompt ?? this.#eosAtTheEnd();
    if (addGenerationPrompt || this.#ending === "" || !text.endsWith(this.#ending)) return text;
    return text.slice(0, -this.#ending.length);
  }

  /** Some templates write the end-of-sequence token after any conversation unless a generation prompt is asked for. */
  #eosAtTheEnd(): string {
    const { eosTokenId } = this.tokenizer;
    const eos = eosTokenId === null ? "" : this.tokenizer.decode([eosTokenId]);
    this.#ending = "";
    for (const context of eos === "" ? [] : USER_CONTEXTS) {
      const without = this.attempt(context, false);
      if (!without?.endsWith(eos)) continue;
      const withPrompt = this.attempt(context, true);
      if (withPrompt === null || withPrompt.startsWith(without)) continue;
      if (withPrompt.startsWith(without.slice(0, -eos.length))) return eos;
    }
    return "";
  }
}
