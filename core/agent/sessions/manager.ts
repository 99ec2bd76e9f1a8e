import { setMaxListeners } from "node:events";
import { type MediaIntake, textAlone } from "../../data/index.js";
import { warnOnce } from "../../data/warn-once.js";
import type { Logger } from "../../host/types.js";
import { dataSourceOf } from "../../reward/index.js";
import { noTracer } from "../../tracing/index.js";
import { promptKey } from "../../transfer/index.js";
import type { AgentLoopManager, PromptTask, SessionWait } from "../agent-loop.js";
import { agentNameOf } from "../loops/loop-names.js";
import { PromptEncoder } from "../prompts/prompt-encoder.js";
import { promptPlan } from "../prompts/prompt-plan.js";
import { rowTools } from "../prompts/row-tools.js";
import { turnEncoders } from "../prompts/turn-encoders.js";
import { type AgentSettings, agentSettings } from "../settings.js";
import type { AgentLoopManagerFactory, AgentLoopManagerOptions } from "./manager-factory.js";
import { nameOf, type PromptRun } from "./prompt-run.js";
import { SessionWatch } from "./session-watch.js";
import { TraceSample, tracedClient } from "./trace.js";
import { Unwinding } from "./unwinding.js";
import { AgentLoopWorker } from "./worker.js";

/** How long the end of a run waits for loops whose sessions are over. */
const UNWIND_MS = 2000;

type SubmitOptions = Parameters<AgentLoopManager["submit"]>[1];

/** The built-in manager: workers in this process, prompts dealt out in turn. */
export class InProcessAgentLoopManager implements AgentLoopManager {
  readonly #settings: AgentSettings;
  readonly #workers: readonly AgentLoopWorker[];
  readonly #running = new Set<Promise<void>>();
  readonly #failure = new AbortController();
  readonly #watch = new SessionWatch();
  readonly #unwinding = new Unwinding();
  readonly #traceSample: TraceSample;
  readonly #templateLogger: Pick<Logger, "warn">;
  readonly #media: MediaIntake;
  #cancel = new AbortController();
  #submitted = 0;

  constructor(private readonly options: AgentLoopManagerOptions) {
    const { config, rewardManager, client, tokenizer, queue, toolParser, modelType, logger, seed } = options;
    const { interactions = new Map(), tracer = noTracer, media = textAlone(tokenizer) } = options;
    const settings = agentSettings(config);
    const { applyChatTemplateKwargs: kwargs } = settings;
    const watch = this.#watch;
    const onFatal = (error: unknown) => this.#failure.abort(error);
    this.#settings = settings;
    this.#media = media;
    this.#templateLogger = warnOnce(logger);
    const turnEncoder = turnEncoders(tokenizer, { modelType, kwargs, logger: this.#templateLogger });
    this.#traceSample = new TraceSample(tracer.promptsPerWorker);
    const traced = tracedClient(client, tracer, tokenizer);
    const models = { client: traced, tokenizer, toolParser, turnEncoder, media };
    const parts = { ...models, tracer, interactions, rewards: rewardManager, unwinding: this.#unwinding };
    const shared = { settings, ...parts, logger, seed, vocabSize: options.vocabSize ?? null };
    this.#workers = Array.from(
      { length: settings.numWorkers },
      () => new AgentLoopWorker({ ...shared, queue, onFatal, watch }),
    );
  }

  get failed(): AbortSignal {
    return this.#failure.signal;
  }

  waiting(): readonly SessionWait[] {
    return this.#watch.waiting();
  }

  /** All prompts are checked before the first is accepted: a bad uid or an unknown agent name rejects the whole call. */
  async submit(tasks: readonly PromptTask[], options: SubmitOptions): Promise<void> {
    options.signal?.throwIfAborted();
    const signal = AbortSignal.any([this.#cancel.signal, ...(options.signal ? [options.signal] : [])]);
    // Every session in flight listens to it.
    setMaxListeners(0, signal);
    const workers = tasks.map((_, i) => (this.#submitted + i) % this.#workers.length);
    const uids = tasks.map(({ uid }) => uid);
    const isTraced = this.#traceSample.choose(uids, workers, `${options.partition}/${options.globalStep}`);
    const prompts = tasks.map((task) => ({ ...this.#prompt(task, options, signal), traced: isTraced(task.uid) }));
    for (const prompt of prompts) {
      const worker = this.#workers[this.#submitted++ % this.#workers.length];
      const ended: Promise<void> = worker.enqueue(prompt).then(() => void this.#running.delete(ended));
      this.#running.add(ended);
    }
  }

  async drain(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
    this.#failure.signal.throwIfAborted();
  }

  async cancel(reason: unknown): Promise<void> {
    this.#cancel.abort(reason);
    this.#cancel = new AbortController();
    await Promise.all(this.#running);
  }

  /** Tools and simulated users are there until the loops have released what they hold of them. */
  async dispose(): Promise<void> {
    const left = await this.#unwinding.settled(UNWIND_MS);
    if (left > 0) this.options.logger.debug(`${left} agent loops went on after the end of their sessions and are left`);
  }

  #prompt(task: PromptTask, { partition, globalStep }: SubmitOptions, signal: AbortSignal): Omit<PromptRun, "traced"> {
    const { tokenizer, logger, findAgentLoop } = this.options;
    const { defaultLoop, dataSourceKey, promptLength, applyChatTemplateKwargs } = this.#settings;
    promptKey(task.uid);
    const { row } = task;
    const origin = typeof row.origin === "string" ? row.origin : "";
    return {
      task,
      partition,
      globalStep,
      ...promptPlan(task, partition, this.#settings),
      factory: findAgentLoop(agentNameOf(row, defaultLoop) as string),
      tools: rowTools(this.options.tools, row),
      dataSource: dataSourceOf(row, dataSourceKey),
      origin,
      encoder: new PromptEncoder({
        tokenizer,
        media: this.#media,
        promptLength,
        applyChatTemplateKwargs,
        logger,
        templateLogger: this.#templateLogger,
        where: nameOf({ task, origin }),
      }),
      signal,
    };
  }
}

/** Used where `rollout.agent.agent_loop_manager_class` names no other. */
export const agentLoopManager: AgentLoopManagerFactory = {
  name: "default",
  create: (options) => new InProcessAgentLoopManager(options),
};
