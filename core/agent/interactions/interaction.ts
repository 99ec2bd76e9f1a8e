import type { ReadableMedium } from "../../data/media/readable-media.js";
import type { ChatContentPart, ChatMessage } from "../../data/tokenizer.js";
import type { Awaitable, JsonValue } from "../../host/types.js";
import type { JsonObject } from "../tools/tool.js";

/** What a simulated user says to the model's last turn. */
export interface InteractionTurn {
  /** The user's message. */
  readonly text: string;
  /** Images, videos and sounds of the message, before its text: parts as tools return them. */
  readonly media?: readonly ChatContentPart[];
  /** Whether the conversation ends with it. */
  readonly terminate: boolean;
  /** Of the model's turn; goes to `extraFields.turn_scores`. */
  readonly score?: number | null;
  /** Added to `extraFields.interaction`, later turns over earlier ones. */
  readonly extra?: { readonly [name: string]: JsonValue };
}

/**
 * A simulated user: answers where the model calls no tool. One object serves every trajectory of a run, each under an instance id
 * of its own; `finalizeInteraction` is called whatever happened in between.
 */
export interface Interaction {
  readonly name: string;
  /** @param kwargs  `interaction_kwargs` of the row, its name included */
  startInteraction?(instanceId: string, kwargs: JsonObject): Awaitable<void>;
  /**
   * @param messages  the conversation, the model's last turn at its end
   * @param signal    aborted at the deadline, and with the prompt; what comes later is dropped
   * @param media     what the messages show, in their order; `chatMessages` puts it in for a server that answers
   */
  generateResponse(
    instanceId: string,
    messages: readonly ChatMessage[],
    kwargs: JsonObject,
    signal: AbortSignal,
    media: readonly ReadableMedium[],
  ): Awaitable<InteractionTurn>;
  /** A score of the whole conversation. Not called by the built-in loop, which takes scores from turns. */
  calculateScore?(instanceId: string, kwargs: JsonObject): Awaitable<number>;
  finalizeInteraction?(instanceId: string, kwargs: JsonObject): Awaitable<void>;
}

/** A start for interactions. `config` is that of the entry in `interaction_config_path`, with the entry's name in it. */
export abstract class BaseInteraction implements Interaction {
  readonly name: string;

  constructor(readonly config: JsonObject) {
    this.name = String(config.name);
  }

  startInteraction(_instanceId: string, _kwargs: JsonObject): Awaitable<void> {}

  abstract generateResponse(
    instanceId: string,
    messages: readonly ChatMessage[],
    kwargs: JsonObject,
    signal: AbortSignal,
    media: readonly ReadableMedium[],
  ): Awaitable<InteractionTurn>;

  calculateScore(_instanceId: string, _kwargs: JsonObject): Awaitable<number> {
    return 0;
  }

  finalizeInteraction(_instanceId: string, _kwargs: JsonObject): Awaitable<void> {}
}
