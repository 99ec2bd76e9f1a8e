import { mediaPartsOf, readableMedium } from "../../data/index.js";
import type { Row } from "../../data/rows/row.js";
import type { ChatMessage } from "../../data/tokenizer.js";
import { inUserCode } from "../../host/blocking/user-code.js";
import { reasonAndPlace } from "../../host/error-place.js";
import { isVerlError, reasonOf } from "../../host/errors.js";
import type { Awaitable, Logger } from "../../host/types.js";
import { withDeadline } from "../../host/util/deadline.js";
import { ownCopy } from "../../host/util/own-copy.js";
import { isObject } from "../../host/util/plain-object.js";
import { shown } from "../../host/util/shown.js";
import { isScore, namedScore } from "../../reward/index.js";
import { inTime, settled } from "../abortable.js";
import { agentErrors } from "../errors.js";
import type { LoopMedia } from "../loops/loop-media.js";
import { takeMediaOf } from "../tools/result-media.js";
import type { JsonObject } from "../tools/tool.js";
import type { Interaction, InteractionTurn } from "./interaction.js";
import type { InteractionSet } from "./load-interactions.js";

/** Characters of one answer. A longer one would be encoded for many seconds, and fits no context. */
export const MAX_USER_TEXT = 100_000;

export interface SimulatedUserScope {
  readonly row: Row;
  /** The instance's id. */
  readonly trajectoryId: string;
  /** Longest time of one answer. */
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
  /** Of the session. */
  readonly media: LoopMedia;
  readonly logger: Pick<Logger, "warn">;
}

/** The user of one trajectory: which interaction it is, and every call to it with a deadline. */
export class SimulatedUser {
  readonly #kwargs: JsonObject;
  #starting: Promise<void> = Promise.resolve();

  private constructor(
    private readonly interaction: Interaction,
    private readonly scope: SimulatedUserScope,
  ) {
    this.#kwargs = ownCopy(interactionKwargs(scope.row));
  }

  /**
   * Start the interaction that the row's `interaction_kwargs` name; null in a run without interactions. The caller calls
   * `finalize` whatever comes.
   *
   * @throws VERL_AGENT_INTERACTION where the row names none, or an unknown one
   */
  static async begin(known: InteractionSet, scope: SimulatedUserScope): Promise<SimulatedUser | null> {
    if (known.size === 0) return null;
    const { name } = interactionKwargs(scope.row);
    const interaction = typeof name === "string" ? known.get(name) : undefined;
    if (!interaction) {
      throw agentErrors.VERL_AGENT_INTERACTION({
        what: name === undefined ? "the row names no interaction" : `there is no interaction ${shown(name)}`,
        where: scope.trajectoryId,
        why: `The run has ${[...known.keys()].join(", ")}.`,
        fix: "give every row extra_info.interaction_kwargs with the name of an interaction",
      });
    }
    const user = new SimulatedUser(interaction, scope);
    try {
      await user.#call("startInteraction", () => {
        user.#starting = settled(() => interaction.startInteraction?.(scope.trajectoryId, user.#kwargs));
        return user.#starting;
      });
    } catch (error) {
      await user.finalize();
      throw error;
    }
    return user;
  }

  /** What the user says; media of it are references. */
  async respond(messages: readonly ChatMessage[]): Promise<InteractionTurn> {
    const { trajectoryId, media } = this.scope;
    const seen = mediaPartsOf(messages).flatMap(({ value }) => media.find(value)?.ref ?? []);
    const readable = seen.map((ref) => readableMedium(ref, media));
    const turn = await this.#call("generateResponse", (signal) =>
      this.interaction.generateResponse(trajectoryId, ownCopy(messages), this.#kwargs, signal, readable),
    );
    const unusable = "gave an answer that cannot be used";
    if (typeof turn?.text !== "string") throw this.#failed(unusable, "it returned no text");
    if (turn.text.length > MAX_USER_TEXT) {
      const length = `its text has ${turn.text.length} characters, more than ${MAX_USER_TEXT}`;
      throw this.#failed(unusable, length);
    }
    if (turn.score != null && !isScore(turn.score)) {
      throw this.#failed(
        unusable,
        `its score is ${typeof turn.score === "number" ? namedScore(turn.score) : shown(turn.score)}`,
      );
    }
    try {
      return await takeMediaOf(`the interaction "${this.interaction.name}"`, turn, media);
    } catch (error) {
      if (isVerlError(error)) throw error;
      throw this.#failed(unusable, reasonOf(error), error);
    }
  }

  /** After its start, however late that comes. Never rejects: the trajectory is complete, or has an error already. */
  async finalize(): Promise<void> {
    const { trajectoryId, deadlineMs, logger } = this.scope;
    const late = new Error();
    await withDeadline(this.#starting, deadlineMs, () => late).catch(() => {});
    try {
      const finalize = () => this.interaction.finalizeInteraction?.(trajectoryId, this.#kwargs);
      const work = settled(() => inUserCode(this.#label("finalizeInteraction"), finalize));
      await withDeadline(work, deadlineMs, () => late);
    } catch (error) {
      const how = error === late ? this.#late("finalizeInteraction") : "threw in finalizeInteraction";
      const why = error === late ? "" : `: ${reasonAndPlace(error)}`;
      logger.warn(`the interaction "${this.interaction.name}" ${how}, trajectory ${trajectoryId}${why}`);
    }
  }

  /** One of the interaction's methods: how it failed, and where its code threw, go into the error. */
  async #call<T>(method: string, work: (signal: AbortSignal) => Awaitable<T>): Promise<T> {
    const { signal, deadlineMs } = this.scope;
    const late = this.#failed(this.#late(method));
    try {
      const labelled = (own: AbortSignal) => inUserCode(this.#label(method), () => work(own));
      return await inTime(labelled, { signal, deadlineMs, late });
    } catch (error) {
      signal.throwIfAborted();
      throw error === late ? late : this.#failed(`threw in ${method}`, reasonAndPlace(error), error);
    }
  }

  #label(method: string): () => string {
    return () => `${method} of the interaction "${this.interaction.name}", trajectory ${this.scope.trajectoryId}`;
  }

  #late(method: string): string {
    return `did not come back from ${method} within ${this.scope.deadlineMs / 1000} s`;
  }

  #failed(failure: string, why?: string, cause?: unknown) {
    const what = `the interaction "${this.interaction.name}" ${failure}`;
    return agentErrors.VERL_AGENT_INTERACTION({ what, where: this.scope.trajectoryId, why, cause });
  }
}

/** What a row says about its simulated user: `extra_info.interaction_kwargs`, or the column of that name. */
export function interactionKwargs({ extra_info: extra, interaction_kwargs: column }: Row): JsonObject {
  const kwargs = (isObject(extra) ? extra.interaction_kwargs : undefined) ?? column;
  return isObject(kwargs) ? (kwargs as JsonObject) : {};
}
