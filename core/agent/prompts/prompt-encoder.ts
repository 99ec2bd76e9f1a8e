import { isDeepStrictEqual } from "node:util";
import { ConversationRenderer } from "../../data/conversation-renderer.js";
import { dataErrors, type MediaIntake, mediaPartsOf, placeMedia, type TakenMessages } from "../../data/index.js";
import type { ChatMessage, Tokenizer } from "../../data/tokenizer.js";
import type { JsonValue, Logger } from "../../host/types.js";
import { ownCopy } from "../../host/util/own-copy.js";
import type { EncodedPrompt, PromptTools } from "../agent-loop.js";
import { refuseMedia } from "../continuous-tokens/appended-messages.js";

export interface PromptEncoderOptions {
  readonly tokenizer: Tokenizer;
  readonly media: Pick<MediaIntake, "take">;
  readonly promptLength: number;
  readonly applyChatTemplateKwargs: Readonly<Record<string, unknown>>;
  readonly logger: Logger;
  /** Told of messages that had to be rearranged for the chat template. */
  readonly templateLogger: Pick<Logger, "warn">;
  /** The prompt, for the warning. */
  readonly where: string;
}

/** A prompt with what its sessions need to know of its media. */
export interface PreparedPrompt extends EncodedPrompt {
  readonly taken: TakenMessages;
}

/**
 * Encodes prompts for the sessions of one dataset row: the same messages, with the same tools, are encoded once. What is given out
 * is the asker's own.
 */
export class PromptEncoder {
  readonly #texts: Known<readonly number[]>[] = [];
  readonly #prepared: Known<Promise<PreparedPrompt>>[] = [];

  constructor(private readonly options: PromptEncoderOptions) {}

  /** `AgentLoopContext.encodePrompt`. */
  readonly encodeText = (messages: readonly ChatMessage[], { tools }: PromptTools = {}): readonly number[] =>
    cached(this.#texts, messages, tools, () => {
      refuseMedia(messages);
      return this.#fitting(this.#ids(messages, tools));
    }).slice();

  /** What `AgentLoopContext.preparePrompt` gives, and the media for its session. */
  async prepare(messages: readonly ChatMessage[], { tools }: PromptTools = {}): Promise<PreparedPrompt> {
    const { taken, ...prompt } = await cached(this.#prepared, messages, tools, async () => {
      const taken = await this.options.media.take(messages);
      const parts = mediaPartsOf(taken.messages);
      const { ids, media } = placeMedia(this.#ids(taken.messages, tools), parts, taken.tokens);
      if (media.length > 0) this.#refuseLong(ids.length);
      return { messages: taken.messages, promptIds: media.length > 0 ? ids : this.#fitting(ids), media, taken };
    });
    return { ...ownCopy(prompt), taken };
  }

  #ids(messages: readonly ChatMessage[], tools: readonly JsonValue[] | undefined): number[] {
    const { tokenizer, applyChatTemplateKwargs: kwargs, templateLogger: logger } = this.options;
    return new ConversationRenderer(tokenizer, { tools, kwargs, logger }).encode(messages, true);
  }

  #fitting(ids: readonly number[]): readonly number[] {
    const { promptLength, logger, where } = this.options;
    if (ids.length <= promptLength) return ids;
    logger.warn(
      `prompt ${where} has ${ids.length} tokens, ${ids.length - promptLength} more than data.max_prompt_length; its beginning is cut off`,
    );
    return ids.slice(-promptLength);
  }

  /** A medium that is cut in two, or whose text is gone, is none. */
  #refuseLong(length: number): void {
    const { promptLength, where } = this.options;
    if (length <= promptLength) return;
    throw dataErrors.VERL_DATA_PROMPT_TOO_LONG({
      what: `the prompt has ${length} tokens, those of its media included, and data.max_prompt_length is ${promptLength}`,
      where,
      why: "a prompt with media is never cut",
      fix: "Raise data.max_prompt_length, leave such rows out with data.filter_overlong_prompts=true, or let the processor make smaller media (data.mm_processor_kwargs).",
    });
  }
}

/** An encoded conversation; loops go on with the list that they have asked about, so that it is a copy. */
interface Known<T> {
  readonly messages: readonly ChatMessage[];
  readonly tools: string;
  readonly value: T;
}

/** The first ones are asked about by every session; later turns are each session's own. */
const KEPT = 8;

function cached<T>(
  known: Known<T>[],
  messages: readonly ChatMessage[],
  tools: readonly JsonValue[] | undefined,
  make: () => T,
): T {
  const key = tools ? JSON.stringify(tools) : "";
  const found = known.find((each) => each.tools === key && isDeepStrictEqual(each.messages, messages));
  if (found) return found.value;
  const value = make();
  if (known.length < KEPT) known.push({ messages: ownCopy(messages), tools: key, value });
  return value;
}
