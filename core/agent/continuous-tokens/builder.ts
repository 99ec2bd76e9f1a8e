import type { MediaTokens, PlacedMedia } from "../../data/index.js";
import type { ChatMessage } from "../../data/tokenizer.js";
import type { VersionRun } from "../../rollout/rollout.js";
import { agentErrors } from "../errors.js";
import { applyToIds, type TokenEdit } from "./edit.js";
import { editSample, newSample, type TokenSample } from "./token-sample.js";
import type { TurnEncoder } from "./turn-encoder.js";

/** Ids that the model sampled in one call. A server's `TokenOutput` is one. */
export interface SampledTurn {
  readonly tokenIds: readonly number[];
  /** One for each id. Every turn of a trajectory has them, or none. */
  readonly logProbs?: readonly number[] | null;
  readonly minWeightVersion: number;
  readonly maxWeightVersion: number;
  /** Which weights drew which id, in order and without gaps. */
  readonly weightVersions?: readonly VersionRun[];
}

/** An edit that was worked out and not made yet. */
export interface PlannedEdit {
  readonly edit: TokenEdit;
  /** The sample that it was worked out for. */
  readonly base: TokenSample;
  /** What the server would be sent. */
  readonly promptIds: readonly number[];
  /** Tokens of the response then; 0 for a split. */
  readonly responseLength: number;
}

/**
 * The tokens of one trajectory over several turns. A sampled token is never decoded and encoded again: the next prompt is the
 * last one, what was sampled, and the newly encoded rest. Where the template offers no way to append, a new sample begins and
 * the old one is kept; that is reported, never thrown.
 *
 * ```ts
 * const tokens = new ContinuousTokenBuilder(encoder);
 * tokens.start(messages);
 * for (;;) {
 *   const output = await generate(tokens.promptIds);
 *   tokens.addAssistant(output);
 *   const updated = [...messages, assistantMessage, ...toolMessages];
 *   tokens.addMessages([...messages, assistantMessage], updated);
 * }
 * ```
 */
export class ContinuousTokenBuilder {
  readonly #finished: TokenSample[] = [];
  #sample: TokenSample | null = null;
  /** Null until the first sampled token. */
  #withLogProbs: boolean | null = null;
  /** What the end of the tokens waits for. */
  #due: "start" | "assistant" | "any" = "start";

  /** @param mediaTokens  of the media that messages hold; by default they may hold none */
  constructor(
    readonly encoder: TurnEncoder,
    private readonly mediaTokens: MediaTokens | null = null,
  ) {}

  /** Begin with these messages; `promptIds` and their `media` if they are encoded already, e.g. shortened. */
  start(
    messages: readonly ChatMessage[],
    promptIds?: readonly number[],
    media: readonly PlacedMedia[] = [],
  ): TokenEdit {
    if (this.#due !== "start") throw order("the trajectory has begun already");
    const encoded = promptIds ? { ids: promptIds, media } : this.#encoded(messages);
    this.#sample = newSample(encoded.ids, true, encoded.media);
    this.#due = "assistant";
    const edit = { kind: "initial", removedPrefixCount: 0, insertedIds: [], appendedIds: encoded.ids } as const;
    return encoded.media.length > 0 ? { ...edit, media: encoded.media } : edit;
  }

  /** Add sampled ids: mask 1. A second call without messages in between goes on with the same turn. */
  addAssistant(turn: SampledTurn): TokenEdit {
    const sample = this.#begun();
    const logProbs = this.#checkedLogProbs(turn);
    const edit: TokenEdit = {
      kind: "assistant",
      removedPrefixCount: 0,
      insertedIds: [],
      appendedIds: turn.tokenIds,
    };
    const { minWeightVersion, maxWeightVersion, weightVersions } = turn;
    this.#sample = editSample(sample, edit, { logProbs, minWeightVersion, maxWeightVersion, weightVersions });
    this.#due = "any";
    return edit;
  }

  /**
   * Add the messages that `updated` has more than `previous`, with the next generation prompt: mask 0. `previous` holds the
   * assistant's message that the last ids were parsed to; it serves to find names and is not encoded.
   */
  addMessages(previous: readonly ChatMessage[], updated: readonly ChatMessage[]): TokenEdit {
    return this.apply(this.plan(previous, updated));
  }

  /** What {@link addMessages} would do; nothing changes until the plan is applied. */
  plan(previous: readonly ChatMessage[], updated: readonly ChatMessage[]): PlannedEdit {
    const base = this.#begun();
    if (this.#due === "assistant") throw order("messages were to be added where the model's turn is due");
    const edit = this.encoder.append(previous, updated, this.promptIds, this.mediaTokens);
    const { removedPrefixCount, insertedIds, appendedIds } = edit;
    const added = insertedIds.length + appendedIds.length - removedPrefixCount;
    return {
      edit,
      base,
      promptIds: applyToIds(this.promptIds, edit),
      responseLength: edit.kind === "split" ? 0 : base.responseIds.length + added,
    };
  }

  /** Make a planned edit. Nothing may have been added since it was planned. */
  apply({ edit, base }: PlannedEdit): TokenEdit {
    if (base !== this.#begun()) throw order("the plan was made for other tokens");
    if (edit.kind === "split") {
      if (base.responseIds.length > 0) this.#finished.push(base);
      this.#sample = newSample(edit.appendedIds, true, edit.media);
    } else this.#sample = editSample(base, edit, null);
    if (edit.appendedIds.length > 0) this.#due = "assistant";
    return edit;
  }

  /** What the server is sent next: every token so far. */
  get promptIds(): readonly number[] {
    const { promptIds, responseIds } = this.#begun();
    return [...promptIds, ...responseIds];
  }

  /** The media among {@link promptIds}. */
  get media(): readonly PlacedMedia[] {
    return this.#begun().media ?? [];
  }

  /** The sample that is being built. */
  get current(): TokenSample {
    return this.#shown(this.#begun());
  }

  /** All samples in their order, the current one last; without those in which nothing was sampled. */
  get samples(): readonly TokenSample[] {
    return [...this.#finished, this.#begun()]
      .filter(({ responseMask }) => responseMask.includes(1))
      .map((sample) => this.#shown(sample));
  }

  #encoded(messages: readonly ChatMessage[]) {
    if (this.mediaTokens) return this.encoder.encodeMedia(messages, this.mediaTokens);
    return { ids: this.encoder.encode(messages), media: [] };
  }

  #shown(sample: TokenSample): TokenSample {
    return this.#withLogProbs ? sample : { ...sample, responseLogProbs: null };
  }

  #begun(): TokenSample {
    if (!this.#sample) throw order("the trajectory has not begun");
    return this.#sample;
  }

  #checkedLogProbs({ tokenIds, logProbs }: SampledTurn): readonly number[] {
    if (tokenIds.length === 0) return [];
    if (logProbs && logProbs.length !== tokenIds.length) {
      throw agentErrors.VERL_AGENT_LOG_PROBS({
        what: `${tokenIds.length} sampled tokens came with ${logProbs.length} log-probabilities`,
      });
    }
    const given = logProbs !== undefined && logProbs !== null;
    this.#withLogProbs ??= given;
    if (this.#withLogProbs !== given) {
      throw agentErrors.VERL_AGENT_LOG_PROBS({
        what: given
          ? "a turn came with log-probabilities, and the turns before it without"
          : "a turn came without log-probabilities, and the turns before it with them",
      });
    }
    return logProbs ?? tokenIds.map(() => 0);
  }
}

function order(what: string) {
  return agentErrors.VERL_AGENT_TURN_ORDER({ what });
}
