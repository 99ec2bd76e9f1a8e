import { type EncodedMedia, type MediaTokens, mediaPartsOf, placeMedia } from "../../data/index.js";
import type { ChatMessage, Tokenizer } from "../../data/tokenizer.js";
import type { Logger } from "../../host/types.js";
import { agentErrors } from "../errors.js";
import { appendedMessages, refuseMedia } from "./appended-messages.js";
import { ConversationText } from "./conversation-text.js";
import { applyToIds, type TokenEdit } from "./edit.js";
import { type TokenFamily, tokenFamily } from "./family.js";
import type { Broken, EncodingOptions } from "./own-encoding.js";
import { SuffixEncoder, startsWith } from "./suffix-encoder.js";
import { groupMessages, type MessageGroup } from "./synthetic-context.js";
import { type Suffix, templateSuffix, turnEnd } from "./template-suffix.js";
import { type BoundaryRule, joinShared, missingEnd } from "./turn-boundary.js";

export interface TurnEncoderOptions extends EncodingOptions {
  /** Hugging Face's `model_type`, which tells the family; null: what the template shows is all that is known. */
  readonly modelType?: string | null;
  /** Instead of the family that the model type tells, for models with rules of their own. */
  readonly family?: TokenFamily;
  /**
   * What the model is shown of earlier turns. `keep` (default): the tokens that it saw and sampled. `render`: what the template
   * makes of the conversation now, as a server does that renders every request; where that is another text, the sample is split.
   */
  readonly history?: "keep" | "render";
  readonly logger?: Pick<Logger, "warn">;
}

/**
 * Tokens of conversations turn by turn: the first prompt, and what is added for messages after an assistant turn. Only what
 * is new is encoded. It knows no trajectory: make one for each list of tools of a run.
 */
export class TurnEncoder {
  readonly family: TokenFamily;
  readonly #text: ConversationText;
  readonly #suffixes: SuffixEncoder;
  #rule: BoundaryRule | null = null;

  constructor(
    readonly tokenizer: Tokenizer,
    private readonly options: TurnEncoderOptions = {},
  ) {
    const { family, known } = tokenFamily(options.modelType ?? null);
    this.family = options.family ?? family;
    this.#text = new ConversationText(tokenizer, this.family, options);
    this.#suffixes = new SuffixEncoder(tokenizer);
    if (!known && !options.family) {
      options.logger?.warn(
        `models of type ${options.modelType} have no rules of their own for turn boundaries; the chat template's are used (check them with: verl doctor --model PATH)`,
      );
    }
  }

  /** The text of a whole conversation, as a server that knows nothing of earlier turns would send it. */
  render(messages: readonly ChatMessage[], addGenerationPrompt: boolean): string {
    return this.#text.render(messages, addGenerationPrompt);
  }

  /** The ids of a whole conversation; with its generation prompt, the first prompt of a trajectory. */
  encode(messages: readonly ChatMessage[], addGenerationPrompt = true): number[] {
    refuseMedia(messages);
    return this.#ids(this.render(messages, addGenerationPrompt));
  }

  /**
   * The same of a conversation with media, whose tokens are among the ids.
   *
   * @throws VERL_DATA_MEDIA_MARKS where the template does not write one placeholder for each
   */
  encodeMedia(messages: readonly ChatMessage[], media: MediaTokens, addGenerationPrompt = true): EncodedMedia {
    return placeMedia(this.#ids(this.render(messages, addGenerationPrompt)), mediaPartsOf(messages), media);
  }

  /**
   * What to add for the messages that `updated` has more than `previous`, after an assistant turn that ends the tokens `seen`.
   * Where the template offers no way to append them, the edit is a split. Messages may hold media where `media` knows them.
   *
   * @throws VERL_AGENT_HISTORY_CHANGED if `previous` is no prefix of `updated`; VERL_AGENT_MESSAGE_ROLE if another role than tool,
   *   user and system is appended; VERL_AGENT_TOOL_NAME where the family needs a name that nothing tells
   */
  append(
    previous: readonly ChatMessage[],
    updated: readonly ChatMessage[],
    seen: readonly number[],
    media: MediaTokens | null = null,
  ): TokenEdit {
    const appended = appendedMessages(previous, updated);
    if (!media) refuseMedia(appended);
    if (appended.length === 0) return messagesEdit([], []);
    const groups = groupMessages(appended, previous).map((group) => this.#named(group));
    const suffix: Suffix | Broken = this.#text.encoding
      ? this.#text.encoding.append(previous, appended)
      : templateSuffix(groups, updated, this.#text, this.family);
    if ("broken" in suffix) return this.#split(updated, suffix.broken, media);
    const edit = withMedia(this.#join(seen, suffix, groups[0]), appended, media);
    if (this.options.history !== "render") return edit;
    if (this.tokenizer.decode(applyToIds(seen, edit)) === this.#whole(updated, media)) return edit;
    return this.#split(updated, "the template writes earlier turns differently now", media);
  }

  /** The text of the whole conversation, with that of the tokens of its media. */
  #whole(messages: readonly ChatMessage[], media: MediaTokens | null): string {
    if (!media || mediaPartsOf(messages).length === 0) return this.render(messages, true);
    return this.tokenizer.decode(this.encodeMedia(messages, media).ids);
  }

  /** How an assistant turn meets what follows it. */
  get boundaryRule(): BoundaryRule {
    const { family, tokenizer } = this;
    this.#rule ??= {
      turnEnd: family.turnEnd === undefined ? this.#suffixes.encode(turnEnd(this.#text)) : this.#ids(family.turnEnd),
      stopIds: new Set([...tokenizer.stopTokenIds, ...(tokenizer.eosTokenId === null ? [] : [tokenizer.eosTokenId])]),
      sharedIds: new Set(Object.values(family.sharedTokens ?? {}).flatMap((token) => tokenizer.tokenId(token) ?? [])),
    };
    return this.#rule;
  }

  #join(seen: readonly number[], suffix: Suffix, first: MessageGroup): TokenEdit {
    const { toolRunToken } = this.family;
    const toolRunId = toolRunToken && first.tools ? this.tokenizer.tokenId(toolRunToken) : null;
    if (toolRunId !== null) {
      return messagesEdit(seen[seen.length - 1] === toolRunId ? [] : [toolRunId], this.#suffixes.encode(suffix));
    }
    const missing = missingEnd(seen, this.boundaryRule);
    const end = this.tokenizer.decode(missing);
    if (missing.length === 0 || !suffix.after.endsWith(end)) {
      const { removedPrefixCount, nextIds } = joinShared(seen, this.#suffixes.encode(suffix), this.boundaryRule);
      return messagesEdit(missing, nextIds, removedPrefixCount);
    }
    // Encoded together: a line feed at the end of a turn may be another token before the next one.
    const after = suffix.after.slice(0, -end.length);
    const next = this.#suffixes.encode({ after, text: `${end}${suffix.text}` });
    return startsWith(next, missing) ? messagesEdit(missing, next.slice(missing.length)) : messagesEdit([], next);
  }

  /** Tool results whose names the family shows get them, and the ids by which its template finds them. */
  #named(group: MessageGroup): MessageGroup {
    if (!this.family.namedTools || !group.tools) return group;
    const unnamed = group.tools.findIndex(({ name }) => name === null);
    if (unnamed >= 0) {
      throw agentErrors.VERL_AGENT_TOOL_NAME({
        what: `tool result ${unnamed} of ${group.tools.length} has no name, and no call tells it`,
        why: `models of the family ${this.family.name} are shown the name of the function`,
      });
    }
    const messages = group.tools.map(({ name, callId }, i) => ({ ...group.messages[i], name, tool_call_id: callId }));
    return { ...group, messages };
  }

  #split(messages: readonly ChatMessage[], reason: string, media: MediaTokens | null): TokenEdit {
    const encoded = media ? this.encodeMedia(messages, media) : { ids: this.encode(messages), media: [] };
    const edit = { kind: "split", removedPrefixCount: 0, insertedIds: [], appendedIds: encoded.ids, reason } as const;
    return encoded.media.length > 0 ? { ...edit, media: encoded.media } : edit;
  }

  #ids(text: string): number[] {
    return this.tokenizer.encode(text, { addSpecialTokens: false });
  }
}

/** The edit with the tokens of the appended messages' media in place of their placeholders. */
function withMedia(edit: TokenEdit, appended: readonly ChatMessage[], tokens: MediaTokens | null): TokenEdit {
  if (!tokens) return edit;
  const { ids, media } = placeMedia(edit.appendedIds, mediaPartsOf(appended), tokens);
  return media.length > 0 ? { ...edit, appendedIds: ids, media } : edit;
}

function messagesEdit(
  insertedIds: readonly number[],
  appendedIds: readonly number[],
  removedPrefixCount = 0,
): TokenEdit {
  return { kind: "messages", removedPrefixCount, insertedIds, appendedIds };
}
