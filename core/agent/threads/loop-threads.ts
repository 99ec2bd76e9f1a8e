import type { RpcMethods } from "../../host/rpc.js";
import type { CallOptions, Logger } from "../../host/types.js";
import type { AgentLoopContext, AgentLoopFactory, AgentLoopInput, AgentLoopOutput } from "../agent-loop.js";
import { agentErrors } from "../errors.js";
import { type DriverSession, driverMethods, leaveAll } from "./driver-methods.js";
import type { ThreadedLoop, ThreadSession, ThreadTask } from "./protocol.js";

/** A thread that runs agent loops. */
export interface AgentThread {
  readonly name: string;
  /** Rejects with the loop's error, or with `VERL_AGENT_THREAD_LOST` when the thread ends. */
  run(session: ThreadSession, options: CallOptions): Promise<readonly AgentLoopOutput[]>;
  /** Called once when it ends by itself. */
  onLost(listener: () => void): void;
  stop(): Promise<void>;
}

/** Starts thread `index`; `methods` are what it may ask of this side. */
export type StartAgentThread = (
  index: number,
  task: Omit<ThreadTask, "name">,
  methods: RpcMethods,
) => Promise<AgentThread>;

interface Slot {
  readonly index: number;
  /** Null until it is needed, and again after it was lost. */
  thread: Promise<AgentThread> | null;
  running: number;
}

/**
 * The threads of the loops that ask for them. A session goes to the thread with the fewest, and another is started, up to `count`,
 * while every one has some. A thread that is lost fails its sessions; the next session in its place starts a new one.
 */
export class LoopThreads {
  readonly #slots: readonly Slot[];
  readonly #sessions = new Map<number, DriverSession>();
  #nextId = 0;
  #closed = false;

  constructor(
    private readonly options: {
      readonly count: number;
      readonly task: Omit<ThreadTask, "name">;
      readonly start: StartAgentThread;
      readonly logger: Logger;
    },
  ) {
    this.#slots = Array.from({ length: options.count }, (_, index) => ({ index, thread: null, running: 0 }));
  }

  /** Start the first thread, so that a loop that cannot be loaded ends the run before it begins. */
  async open(): Promise<void> {
    await this.#thread(this.#slots[0]);
  }

  /** A loop whose sessions run in the threads. */
  factory({ name, options }: ThreadedLoop): AgentLoopFactory {
    return {
      name,
      create: (context) => ({
        run: (input) => this.#run(name, { ...context, options: { ...context.options, ...options } }, input),
      }),
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(
      this.#slots.map(async (slot) => {
        const thread = await slot.thread?.catch(() => null);
        slot.thread = null;
        await thread?.stop();
      }),
    );
  }

  async #run(loop: string, context: AgentLoopContext, input: AgentLoopInput): Promise<readonly AgentLoopOutput[]> {
    const { trajectoryId, sampling, tools, interactions, options, signal } = context;
    const id = this.#nextId++;
    const slot = this.#slots.reduce((best, slot) => (rank(slot) < rank(best) ? slot : best));
    slot.running++;
    const toolSession = { trajectoryId, row: input.row, state: new Map<string, unknown>() };
    const session: DriverSession = { context, toolSession, admitted: new Map() };
    this.#sessions.set(id, session);
    try {
      const thread = await this.#thread(slot);
      const shown = {
        tools: tools.tools.map(({ schema, admit }) => ({ schema, admits: admit !== undefined })),
        interactions: [...interactions.keys()],
      };
      return await thread.run({ id, loop, trajectoryId, sampling, options, ...shown, ...input }, { signal });
    } finally {
      this.#sessions.delete(id);
      leaveAll(session);
      slot.running--;
    }
  }

  #thread(slot: Slot): Promise<AgentThread> {
    if (this.#closed) throw agentErrors.VERL_AGENT_CANCELLED({ what: "the threads of agent loops have been stopped" });
    slot.thread ??= this.#start(slot).catch((error) => {
      slot.thread = null;
      throw error;
    });
    return slot.thread;
  }

  async #start(slot: Slot): Promise<AgentThread> {
    const { start, task, logger } = this.options;
    const thread = await start(slot.index, task, driverMethods(this.#sessions, logger));
    thread.onLost(() => {
      slot.thread = null;
      if (!this.#closed) logger.warn(`${thread.name} is gone; its sessions have failed, and another takes its place`);
    });
    return thread;
  }
}

/** The fewest sessions first; of equal ones a thread that runs, then the lowest number. */
const rank = ({ running, thread, index }: Slot) => running * 1e6 + (thread ? 0 : 5e5) + index;
