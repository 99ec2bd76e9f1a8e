import type { CallOptions, Logger } from "../../host/types.js";
import type { AgentLoopOutput } from "../agent-loop.js";
import { agentErrors } from "../errors.js";
import type { ThreadSession } from "./protocol.js";

/** A thread that runs agent loops. */
export interface AgentThread {
  readonly name: string;
  /** Rejects with the loop's error, or with `VERL_AGENT_THREAD_LOST` when the thread ends. */
  run(session: ThreadSession, options: CallOptions): Promise<readonly AgentLoopOutput[]>;
  /** Called once when it ends by itself. */
  onLost(listener: () => void): void;
  stop(): Promise<void>;
}

/** A place in a slot's thread. */
export interface ThreadPlace {
  readonly slot: ThreadSlot;
  /** From now on it is given back by `leave` alone, no more by an abort. */
  take(): void;
  leave(): void;
}

/** The place of a thread among others: it is started when it is needed, and again after it was lost. */
export class ThreadSlot {
  #thread: Promise<AgentThread> | null = null;
  #closed = false;
  #running = 0;

  constructor(
    private readonly options: {
      readonly index: number;
      readonly start: () => Promise<AgentThread>;
      /** How long it may take to answer that a session is over. */
      readonly graceMs: number;
      readonly logger: Pick<Logger, "warn">;
    },
  ) {}

  /** Where the next session goes: the fewest sessions first; of equal ones a thread that runs, then the lowest number. */
  get rank(): number {
    return this.#running * 1e6 + (this.#thread ? 0 : 5e5) + this.options.index;
  }

  /** A place for a session that has not begun yet: an abort gives it back until it has. */
  enter(signal: AbortSignal): ThreadPlace {
    signal.throwIfAborted();
    this.#running++;
    let isLeft = false;
    const leave = () => {
      if (isLeft) return;
      isLeft = true;
      this.#running--;
    };
    signal.addEventListener("abort", leave, { once: true });
    const take = () => signal.removeEventListener("abort", leave);
    return {
      slot: this,
      take,
      leave() {
        take();
        leave();
      },
    };
  }

  /** Its thread, which is started where there is none. */
  open(): Promise<AgentThread> {
    if (this.#closed) throw agentErrors.VERL_AGENT_CANCELLED({ what: "the threads of agent loops have been stopped" });
    if (this.#thread) return this.#thread;
    const { start, logger } = this.options;
    const starting: Promise<AgentThread> = start().then(
      (thread) => {
        thread.onLost(() => {
          if (!leave()) return;
          logger.warn(
            `${thread.name} is gone; the sessions that it had begun have failed, and another takes its place`,
          );
        });
        return thread;
      },
      (error) => {
        leave();
        throw error;
      },
    );
    /** False where another has taken its place already, or none is to. */
    const leave = () => {
      if (this.#thread !== starting) return false;
      this.#thread = null;
      return true;
    };
    this.#thread = starting;
    return starting;
  }

  /** Runs a session. Where its thread does not answer to an abort, something in it computes without end: it is ended by force. */
  async run(session: ThreadSession, { signal }: Required<CallOptions>): Promise<readonly AgentLoopOutput[]> {
    const opened = this.open();
    const thread = await opened;
    let timer: NodeJS.Timeout | undefined;
    const onAbort = () => {
      timer = setTimeout(() => this.#endDeaf(opened, thread), this.options.graceMs);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      return await thread.run(session, { signal });
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    const thread = await this.#thread?.catch(() => null);
    this.#thread = null;
    await thread?.stop();
  }

  #endDeaf(opened: Promise<AgentThread>, thread: AgentThread): void {
    if (this.#thread !== opened) return;
    const { graceMs, logger } = this.options;
    this.#thread = null;
    logger.warn(
      `${thread.name} is ended by force, with the sessions that it had begun: for ${graceMs / 1000} s it has not answered that one of them is over`,
    );
    void thread.stop();
  }
}
