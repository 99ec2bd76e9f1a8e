import { reasonAndPlace } from "../../host/error-place.js";
import { isVerlError, reasonOf } from "../../host/errors.js";
import { Semaphore } from "../../host/util/semaphore.js";
import { namedPolicy, rewardErrors, scoringFix } from "../../reward/index.js";
import { sessionName, statusTag, type Tag, type TransferQueue } from "../../transfer/index.js";
import { agentErrors } from "../errors.js";
import { nameOf, type PromptRun } from "./prompt-run.js";
import { runSession, type SessionResult, type SessionTools } from "./session.js";

export interface WorkerOptions extends SessionTools {
  readonly queue: TransferQueue;
  /** Told of an error that the run cannot survive. */
  readonly onFatal: (error: unknown) => void;
}

/**
 * Runs prompts in the order of their arrival, with a bounded number of sessions in flight. A prompt is tagged `running`
 * when its first session gets a place, and `finished` or `failure` after all of its rows are stored; nothing is written
 * after that.
 */
export class AgentLoopWorker {
  readonly #backlog: { readonly prompt: PromptRun; readonly done: () => void }[] = [];
  readonly #slots: Semaphore;
  #pumping = false;

  constructor(private readonly options: WorkerOptions) {
    this.#slots = new Semaphore(options.settings.sessionsPerWorker);
  }

  /** Resolves when the prompt has ended, whatever its end; never rejects. */
  enqueue(prompt: PromptRun): Promise<void> {
    return new Promise((done) => {
      this.#backlog.push({ prompt, done });
      if (!this.#pumping) void this.#pump();
    });
  }

  async #pump(): Promise<void> {
    this.#pumping = true;
    for (let next = this.#backlog.shift(); next; next = this.#backlog.shift()) {
      const { prompt, done } = next;
      const first = await this.#slots.acquire();
      void this.#run(prompt, first).then(done);
    }
    this.#pumping = false;
  }

  async #run(prompt: PromptRun, first: () => void): Promise<void> {
    // Places are asked for before anything is awaited: the next prompt must not get ahead of this one's sessions.
    const places = [Promise.resolve(first)];
    for (let s = 1; s < prompt.sessions; s++) places.push(this.#slots.acquire(prompt.signal));
    try {
      if (!prompt.signal.aborted) await this.#tag(prompt, statusTag("running"));
      await this.#end(prompt, await Promise.allSettled(places.map((place, s) => this.#session(prompt, s, place))));
    } catch (error) {
      await this.#giveUp(prompt, error);
    } finally {
      for (const place of places)
        place.then(
          (release) => release(),
          () => {},
        );
    }
  }

  async #session(prompt: PromptRun, session: number, place: Promise<() => void>): Promise<SessionResult> {
    const watched = this.options.watch.begin(sessionName(prompt.task.uid, session), prompt.origin);
    const release = await place.catch((reason: unknown) => {
      watched.end();
      throw reason;
    });
    try {
      const result = await runSession(prompt, session, this.options, watched);
      prompt.signal.throwIfAborted();
      this.#failed(prompt, result);
      watched.waitFor("the queue");
      if (result.entries.length > 0) await this.#store(prompt, result.entries);
      return result;
    } finally {
      watched.end();
      release();
    }
  }

  async #end(prompt: PromptRun, settled: readonly PromiseSettledResult<SessionResult>[]): Promise<void> {
    const ended = settled.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    const errors: string[] = [];
    for (const [session, result] of settled.entries()) {
      if (result.status === "fulfilled") continue;
      if (result.reason instanceof StoreFailed) throw result.reason.cause;
      errors.push(`session ${session}: ${reasonAndPlace(prompt.signal.aborted ? cancelled(prompt) : result.reason)}`);
    }
    const someLeft = this.options.settings.onSessionError === "keep_group" && ended.length > 0;
    const unscored = ended.flatMap(({ failedReward }) => failedReward?.message ?? []);
    if (unscored.length > 0 && this.#dropsGroups) await this.#leaveOut(prompt, ended, unscored[0]);
    const failed = unscored.length > 0 || (errors.length > 0 && !someLeft);
    const silent = ended.filter(({ entries }) => entries.length === 0).length;
    const nothing =
      silent === 0
        ? null
        : `the agent loop ${prompt.factory.name} returned no trajectory in ${silent} of ${prompt.sessions} sessions`;
    await this.#tag(prompt, endTag(failed, [...errors, ...unscored], nothing));
    if (errors.length > 0) {
      const text = `prompt ${nameOf(prompt)}: ${errors.length} of ${prompt.sessions} sessions failed; ${errors[0]}`;
      // Whoever cancels says why, once; a line for every prompt would bury it.
      if (prompt.signal.aborted) this.options.logger.debug(text);
      else this.options.logger.warn(text);
    }
  }

  get #dropsGroups(): boolean {
    return this.options.settings.rewardPolicy.action === "drop_group";
  }

  /** Scoring failed for good: the run ends, and what the group's other sessions do is waited for no more. */
  #failed(prompt: PromptRun, { failedReward }: SessionResult): void {
    const why = failedReward?.message;
    if (!why || this.#dropsGroups) return;
    this.options.onFatal(
      rewardErrors.VERL_REWARD_FAILED({
        what: `prompt ${nameOf(prompt)} could not be scored, and ${namedPolicy(this.options.settings.rewardPolicy)}`,
        why,
        ...scoringFix(why),
      }),
    );
  }

  /** Scoring failed for good: the whole group is left out of training. */
  async #leaveOut(prompt: PromptRun, ended: readonly SessionResult[], why: string): Promise<void> {
    // The step tells how many, with the first reason.
    this.options.logger.debug(`prompt ${nameOf(prompt)} is left out: ${why}`);
    const without = { score: null, rewardOutcome: "abstain", rewardMessage: `the group is left out: ${why}` };
    const entries = ended.flatMap((result) =>
      result.entries.map(({ key }) => ({
        key,
        fields: result.failedReward ? { score: null } : without,
        tag: { trainable: false },
      })),
    );
    await this.#store(prompt, entries);
  }

  /** The queue refused: a later attempt has taken over, or the run cannot go on. */
  async #giveUp(prompt: PromptRun, error: unknown): Promise<void> {
    const { onFatal, logger } = this.options;
    const cause = error instanceof StoreFailed ? error.cause : error;
    if (isVerlError(cause) && cause.code === "VERL_QUEUE_STALE_ATTEMPT") {
      logger.debug(`attempt ${prompt.task.attempt} of prompt ${nameOf(prompt)} was replaced; its results are dropped`);
      return;
    }
    onFatal(cause);
    await this.#tag(prompt, endTag(true, [reasonOf(cause)])).catch((e: unknown) => logger.debug(reasonOf(e)));
  }

  async #store(
    prompt: PromptRun,
    entries: readonly {
      readonly key: string;
      readonly fields: SessionResult["entries"][number]["fields"];
      readonly tag: Tag;
    }[],
  ): Promise<void> {
    const { signal, task, partition } = prompt;
    try {
      await this.options.queue.putBatch(partition, entries, { attempt: task.attempt, signal });
    } catch (error) {
      signal.throwIfAborted();
      throw new StoreFailed(error);
    }
  }

  #tag({ task, partition }: PromptRun, tag: Tag): Promise<void> {
    return this.options.queue.put(partition, task.uid, { tag }, { attempt: task.attempt });
  }
}

/** Tells a queue that refuses rows from a session that failed by itself. */
class StoreFailed extends Error {
  constructor(override readonly cause: unknown) {
    super(reasonOf(cause));
  }
}

/** `remark`: what is to be said of a prompt without errors. */
function endTag(failed: boolean, errors: readonly string[], remark: string | null = null): Tag {
  const texts = errors.slice(0, 4).map((text) => text.slice(0, 1000));
  return {
    ...statusTag(failed ? "failure" : "finished", texts[0] ?? remark),
    ...(texts.length > 0 ? { errors: texts } : {}),
  };
}

function cancelled(prompt: PromptRun) {
  return agentErrors.VERL_AGENT_CANCELLED({ what: "cancelled before it ended", why: reasonOf(prompt.signal.reason) });
}
