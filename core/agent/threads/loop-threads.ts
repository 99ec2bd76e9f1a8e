import type { RpcMethods } from "../../host/rpc.js";
import type { Logger } from "../../host/types.js";
import { noTracer, RelayedSpans } from "../../tracing/index.js";
import type { AgentLoopContext, AgentLoopFactory, AgentLoopInput, AgentLoopOutput } from "../agent-loop.js";
import { type DriverSession, driverMethods, leaveAll } from "./driver-methods.js";
import type { ThreadedLoop, ThreadTask } from "./protocol.js";
import { type AgentThread, type ThreadPlace, ThreadSlot } from "./thread-slot.js";

/** Starts thread `index`; `methods` are what it may ask of this side. */
export type StartAgentThread = (
  index: number,
  task: Omit<ThreadTask, "name">,
  methods: RpcMethods,
) => Promise<AgentThread>;

/** How long a thread may take to answer that a session has been cancelled. */
const GRACE_MS = 5000;

/**
 * The threads of the loops that ask for them. A session goes to the thread with the fewest, and another is started, up to `count`,
 * while every one has some. A thread that is lost fails its sessions; the next session in its place starts a new one. One that does
 * not answer to the end of a session computes without end, and is ended by force.
 */
export class LoopThreads {
  readonly #slots: readonly ThreadSlot[];
  readonly #sessions = new Map<number, DriverSession>();
  #nextId = 0;

  constructor(
    private readonly options: {
      readonly count: number;
      readonly task: Omit<ThreadTask, "name">;
      readonly start: StartAgentThread;
      readonly logger: Logger;
      readonly graceMs?: number;
    },
  ) {
    const { count, task, start, logger, graceMs = GRACE_MS } = options;
    const startAt = (index: number) => () => start(index, task, driverMethods(this.#sessions, logger));
    this.#slots = Array.from(
      { length: count },
      (_, index) => new ThreadSlot({ index, start: startAt(index), graceMs, logger }),
    );
  }

  /** Start the first thread, so that a loop that cannot be loaded ends the run before it begins. */
  async open(): Promise<void> {
    await this.#slots[0].open();
  }

  /** A loop whose sessions run in the threads; it is made when its thread has started. */
  factory({ name, options }: ThreadedLoop): AgentLoopFactory {
    return {
      name,
      create: async (given) => {
        const context = { ...given, options: { ...given.options, ...options } };
        const place = this.#slots.reduce((best, slot) => (slot.rank < best.rank ? slot : best)).enter(given.signal);
        try {
          await place.slot.open();
        } catch (error) {
          place.leave();
          throw error;
        }
        return { run: (input) => this.#run(name, context, { place, input }) };
      },
    };
  }

  async close(): Promise<void> {
    await Promise.all(this.#slots.map((slot) => slot.close()));
  }

  async #run(
    loop: string,
    context: AgentLoopContext,
    { place, input }: { readonly place: ThreadPlace; readonly input: AgentLoopInput },
  ): Promise<readonly AgentLoopOutput[]> {
    const { trajectoryId, sampling, tools, interactions, options, signal, tracer = noTracer } = context;
    const id = this.#nextId++;
    const toolSession = { trajectoryId, row: input.row, state: new Map<string, unknown>() };
    const spans = new RelayedSpans(tracer);
    const session: DriverSession = { context, toolSession, admitted: new Map(), held: new Map(), spans };
    this.#sessions.set(id, session);
    place.take();
    // The session ends when it is aborted, and what is in it ends no later.
    const abort = () => void spans.close(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    const shown = {
      tools: tools.tools.map(({ schema, admit }) => ({ schema, admits: admit !== undefined })),
      interactions: [...interactions.keys()],
      trace: tracer === noTracer ? null : { wantsText: tracer.wantsText },
    };
    let failure: unknown = null;
    try {
      return await place.slot.run({ id, loop, trajectoryId, sampling, options, ...shown, ...input }, { signal });
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      signal.removeEventListener("abort", abort);
      this.#sessions.delete(id);
      place.leave();
      await Promise.all([leaveAll(session, this.options.logger), spans.close(failure)]);
    }
  }
}
