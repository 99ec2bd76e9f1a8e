import {
  type AgentLoopManager,
  type AgentLoopManagerOptions,
  type PromptTask,
  reasonOf,
  type SamplingParams,
  statusTag,
  toRow,
  trajectoryKey,
  trajectoryTag,
} from "verl-ts/plugin";
import { runCrew } from "./session.js";

type SubmitOptions = Parameters<AgentLoopManager["submit"]>[1];

type CrewOptions = Pick<AgentLoopManagerOptions, "config" | "client" | "tokenizer" | "queue" | "logger" | "seed">;

/**
 * Takes the place of the built-in manager: prompts go to a framework of one's own, and its episodes into the queue. What the
 * trainer relies on is the order: rows first, then the prompt's last status, then nothing more.
 */
export class CrewManager implements AgentLoopManager {
  readonly #running = new Set<Promise<void>>();
  readonly #failure = new AbortController();
  #cancel = new AbortController();

  constructor(private readonly options: CrewOptions) {}

  get failed(): AbortSignal {
    return this.#failure.signal;
  }

  async submit(tasks: readonly PromptTask[], options: SubmitOptions): Promise<void> {
    options.signal?.throwIfAborted();
    for (const task of tasks) {
      // Only a queue that refuses gets here: nobody can go on then.
      const work = this.#prompt(task, options).catch((error: unknown) => this.#failure.abort(error));
      const ended: Promise<void> = work.then(() => void this.#running.delete(ended));
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

  /** All sessions of a prompt, at the same time; the prompt has failed if one of them has. */
  async #prompt(task: PromptTask, { partition, globalStep, signal }: SubmitOptions): Promise<void> {
    const { queue, logger } = this.options;
    const { uid, draw, attempt } = task;
    const stop = AbortSignal.any([this.#cancel.signal, ...(signal ? [signal] : [])]);
    await queue.put(partition, uid, { tag: statusTag("running") }, { attempt });
    const sampling = this.#sampling(partition);
    const sessions = await Promise.allSettled(
      Array.from({ length: this.#sessions(partition) }, async (_, session) => {
        const trajectories = await runCrew({ id: `${uid}_${session}`, task, sampling, signal: stop }, this.options);
        return trajectories.map((fields, index) => ({
          key: trajectoryKey(uid, session, index),
          fields: toRow(fields),
          tag: trajectoryTag(fields, { draw, session, index, globalStep }),
        }));
      }),
    );
    const rows = sessions.flatMap((session) => (session.status === "fulfilled" ? session.value : []));
    const errors = sessions.flatMap((session) => (session.status === "rejected" ? [reasonOf(session.reason)] : []));
    if (rows.length > 0) await queue.putBatch(partition, rows, { attempt });
    const tag = errors.length > 0 ? statusTag("failure", errors[0]) : statusTag("finished");
    await queue.put(partition, uid, { tag }, { attempt });
    if (errors.length > 0 && !stop.aborted) logger.warn(`prompt ${uid}: ${errors.length} crews failed; ${errors[0]}`);
  }

  #sessions(partition: SubmitOptions["partition"]): number {
    const { rollout } = this.options.config.actor_rollout_ref;
    return partition === "val" ? rollout.val_kwargs.n : rollout.n;
  }

  #sampling(partition: SubmitOptions["partition"]): SamplingParams {
    const { rollout } = this.options.config.actor_rollout_ref;
    const { temperature, top_p: topP, top_k: topK } = partition === "val" ? rollout.val_kwargs : rollout;
    return { temperature, topP, topK, logProbs: rollout.calculate_log_probs };
  }
}
