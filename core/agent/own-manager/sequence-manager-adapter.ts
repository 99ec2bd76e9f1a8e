import { setMaxListeners } from "node:events";
import { type MediaIntake, textAlone } from "../../data/index.js";
import { warnOnce } from "../../data/warn-once.js";
import { inUserCode } from "../../host/blocking/user-code.js";
import { callerPlace, reasonAndPlace } from "../../host/error-place.js";
import { reasonOf } from "../../host/errors.js";
import type { Logger } from "../../host/types.js";
import { withDeadline } from "../../host/util/deadline.js";
import { ownCopy } from "../../host/util/own-copy.js";
import { promptKey, sessionName, statusTag, type TransferQueue } from "../../transfer/index.js";
import { abortable } from "../abortable.js";
import type { AgentLoopManager, AgentLoopOutput, PromptTask, SessionWait } from "../agent-loop.js";
import { agentErrors } from "../errors.js";
import { SessionMedia } from "../loops/loop-media.js";
import { PromptEncoder } from "../prompts/prompt-encoder.js";
import { promptPlan } from "../prompts/prompt-plan.js";
import { InProcessAgentLoopManager } from "../sessions/manager.js";
import type { AgentLoopManagerOptions } from "../sessions/manager-factory.js";
import { type AgentSettings, agentSettings } from "../settings.js";
import type { ManagedPrompt, PromptBatch, SequenceManager } from "./contract.js";
import { DeliveredSessions } from "./delivered-sessions.js";
import { watchedQueue } from "./watched-queue.js";

type SubmitOptions = Parameters<AgentLoopManager["submit"]>[1];

/** A prompt that has not ended. */
interface OpenPrompt {
  readonly task: PromptTask;
  readonly partition: "train" | "val";
  readonly sessions: number;
  readonly since: number;
  /** Sessions that were delivered or failed; from the first on the prompt is this side's to end. */
  readonly handed: Set<number>;
  readonly ended: Promise<void>;
  end(): void;
}

/**
 * Makes an `AgentLoopManager` of one that has `generateSequences`. What it delivers is checked, scored and stored by the built-in
 * manager; what it stores itself is watched for its end.
 */
export class SequenceManagerAdapter implements AgentLoopManager {
  /** To be given to the manager. */
  readonly queue: TransferQueue;
  readonly #settings: AgentSettings;
  readonly #inner: InProcessAgentLoopManager;
  readonly #sessions: DeliveredSessions;
  readonly #media: MediaIntake;
  readonly #templateLogger: Pick<Logger, "warn">;
  readonly #open = new Map<string, OpenPrompt>();
  #manager: SequenceManager | null = null;
  #cancel = new AbortController();

  constructor(
    private readonly name: string,
    private readonly options: AgentLoopManagerOptions,
  ) {
    this.#settings = agentSettings(options.config);
    this.#media = options.media ?? textAlone(options.tokenizer);
    this.#templateLogger = warnOnce(options.logger);
    this.#sessions = new DeliveredSessions(name);
    this.queue = watchedQueue(options.queue, (partition, key) => this.#end(partition, key));
    const { factory } = this.#sessions;
    this.#inner = new InProcessAgentLoopManager({ ...options, queue: this.queue, findAgentLoop: () => factory });
  }

  serve(manager: SequenceManager): void {
    this.#manager = manager;
  }

  get failed(): AbortSignal {
    return this.#inner.failed;
  }

  async submit(tasks: readonly PromptTask[], options: SubmitOptions): Promise<void> {
    options.signal?.throwIfAborted();
    for (const { uid } of tasks) promptKey(uid);
    const { partition, globalStep: globalSteps } = options;
    const signal = AbortSignal.any([this.#cancel.signal, ...(options.signal ? [options.signal] : [])]);
    // Every request of the batch listens to it.
    setMaxListeners(0, signal);
    const opened = tasks.map((task) => this.#begin(task, partition));
    const prompts = opened.map((prompt) => this.#managed(prompt, { ...options, signal }));
    const batch = { partition, validate: partition === "val", globalSteps, prompts, signal };
    // Whoever cancels says why.
    const abort = () => void this.#failAll(opened, signal.reason, { quiet: true });
    signal.addEventListener("abort", abort, { once: true });
    void Promise.all(opened.map(({ ended }) => ended)).then(() => signal.removeEventListener("abort", abort));
    // Nobody waits for it: results come through the prompts, or through the queue.
    void this.#generate(batch, opened);
  }

  async drain(): Promise<void> {
    const open = [...this.#open.values()];
    const seconds = this.options.config.trainer.sample_deadline_s;
    const ended = abortable(Promise.all(open.map((prompt) => prompt.ended)), this.failed);
    await withDeadline(ended, seconds * 1000, () => this.#stuck(seconds));
    await this.#inner.drain();
  }

  async cancel(reason: unknown): Promise<void> {
    const open = [...this.#open.values()];
    this.#cancel.abort(reason);
    this.#cancel = new AbortController();
    await this.#inner.cancel(reason);
    await Promise.all(open.map(({ ended }) => ended));
  }

  waiting(): readonly SessionWait[] {
    const now = performance.now();
    const silent = [...this.#open.values()].filter(({ handed }) => handed.size === 0);
    const waits = silent.map(({ task, since }) => ({
      key: task.uid,
      origin: typeof task.row.origin === "string" ? task.row.origin : "",
      waitsFor: `the manager ${this.name}`,
      seconds: (now - since) / 1000,
    }));
    return [...this.#inner.waiting(), ...waits].sort((a, b) => b.seconds - a.seconds);
  }

  async dispose(): Promise<void> {
    await this.#manager?.dispose?.();
    await this.#inner.dispose();
  }

  async #generate(batch: PromptBatch, opened: readonly OpenPrompt[]): Promise<void> {
    try {
      await inUserCode(
        () => `generateSequences of the manager ${this.name}`,
        () => this.#manager?.generateSequences(batch),
      );
    } catch (error) {
      await this.#failAll(opened, error);
    }
  }

  #begin(task: PromptTask, partition: "train" | "val"): OpenPrompt {
    const { sessions } = promptPlan(task, partition, this.#settings);
    // A prompt that is issued again takes the place of its earlier attempt.
    this.#end(partition, task.uid);
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const prompt = { task, partition, sessions, since: performance.now(), handed: new Set<number>(), ended, end };
    this.#open.set(keyOf(partition, task.uid), prompt);
    return prompt;
  }

  #managed(prompt: OpenPrompt, options: SubmitOptions & { readonly signal: AbortSignal }): ManagedPrompt {
    const { task, sessions } = prompt;
    // What it does to its prompt changes nothing of what is scored.
    const { uid, draw, attempt, row, messages } = ownCopy(task);
    const handOver = (session: number, outcome: Promise<AgentLoopOutput | readonly AgentLoopOutput[]>) => {
      outcome.catch(() => {});
      if (!Number.isInteger(session) || session < 0 || session >= sessions) {
        throw badDelivery(`prompt ${uid} has sessions 0 to ${sessions - 1}, not ${session}`);
      }
      // Cancelled: the prompt has failed, and what comes late is dropped.
      if (options.signal.aborted) return;
      if (prompt.handed.has(session))
        throw badDelivery(`session ${session} of prompt ${uid} was delivered or failed before`);
      if (this.#open.get(keyOf(prompt.partition, uid)) !== prompt) throw badDelivery(`prompt ${uid} has ended`);
      this.#sessions.settle(sessionName(uid, session), outcome);
      const first = prompt.handed.size === 0;
      prompt.handed.add(session);
      if (!first) return;
      this.#inner.submit([{ ...task, sessions }], options).catch((error) => this.#failAll([prompt], error));
    };
    const media = new SessionMedia(this.#media, options.signal);
    const encoder = this.#encoderOf(task);
    return {
      ...{ uid, draw, attempt, row, messages, sessions, media },
      async preparePrompt(own = messages, tools = {}) {
        const { taken, ...prepared } = await encoder.prepare(own, tools);
        media.keep(taken);
        return prepared;
      },
      sampling: ownCopy(promptPlan(task, prompt.partition, this.#settings).sampling),
      deliver: (session, outputs) => handOver(session, Promise.resolve(outputs)),
      fail: (session, error) => handOver(session, Promise.reject(error)),
    };
  }

  #encoderOf({ uid, row: { origin } }: PromptTask): PromptEncoder {
    const { tokenizer, logger } = this.options;
    const { promptLength, applyChatTemplateKwargs } = this.#settings;
    const where = typeof origin === "string" && origin !== "" ? `${uid} (${origin})` : uid;
    const templateLogger = this.#templateLogger;
    return new PromptEncoder({
      ...{ tokenizer, logger, templateLogger, promptLength, applyChatTemplateKwargs, where },
      media: this.#media,
    });
  }

  /** Fail what has not ended, of prompts that may have. */
  async #failAll(prompts: readonly OpenPrompt[], error: unknown, { quiet = false } = {}): Promise<void> {
    const left = prompts.filter(({ task, partition }) => this.#open.has(keyOf(partition, task.uid)));
    const reason = `${this.name}: ${reasonAndPlace(error)}`;
    await Promise.all(left.map((prompt) => this.#fail(prompt, error, reason)));
    if (left.length > 0 && !quiet) {
      this.options.logger.warn(`${left.length} prompts failed; ${reason}`);
    }
  }

  async #fail({ task, partition, sessions, handed }: OpenPrompt, error: unknown, reason: string): Promise<void> {
    const { uid, attempt } = task;
    if (handed.size > 0) {
      for (let session = 0; session < sessions; session++) {
        if (!handed.has(session)) this.#sessions.settle(sessionName(uid, session), Promise.reject(error));
        handed.add(session);
      }
      return;
    }
    try {
      await this.queue.put(partition, uid, { tag: statusTag("failure", reason.slice(0, 1000)) }, { attempt });
    } catch (why) {
      this.options.logger.debug(`prompt ${uid} could not be marked as failed: ${reasonOf(why)}`);
      this.#end(partition, uid);
    }
  }

  #end(partition: string, uid: string): void {
    const key = keyOf(partition, uid);
    const prompt = this.#open.get(key);
    if (!prompt) return;
    this.#open.delete(key);
    for (let session = 0; session < prompt.sessions; session++) this.#sessions.forget(sessionName(uid, session));
    prompt.end();
  }

  #stuck(seconds: number): Error {
    const waits = this.waiting();
    const shown = waits
      .slice(0, 10)
      .map(({ key, waitsFor, seconds: s }) => `${key} waits for ${waitsFor} (${s.toFixed(1)} s)`);
    return agentErrors.VERL_AGENT_MANAGER_STUCK({
      what: `${this.#open.size} prompts have not ended within ${seconds} s (trainer.sample_deadline_s)`,
      where: this.name,
      why: shown.join("; "),
      data: { waiting: waits },
    });
  }
}

/** Managers deliver from anywhere in their code: the line tells which of it. */
const badDelivery = (what: string) => agentErrors.VERL_AGENT_DELIVERY({ what, where: callerPlace() ?? undefined });

const keyOf = (partition: string, uid: string) => `${partition}/${uid}`;
