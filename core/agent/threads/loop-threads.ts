import { isVerlError } from "../../host/errors.js";
import type { Logger } from "../../host/types.js";
import type { RpcMethods } from "../../host/workers/rpc.js";
import { noTracer, RelayedSpans } from "../../tracing/index.js";
import type { AgentLoopContext, AgentLoopFactory, AgentLoopInput, AgentLoopOutput } from "../agent-loop.js";
import { BEGUN, type LateLoop } from "../late-start.js";
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

/** So often a session that has not begun goes to another thread: each time one was lost with others that had. */
const MAX_MOVES = 100;

/**
 * The threads of the loops that ask for them. A session goes to the thread with the fewest, and another is started, up to `count`,
 * while every one has some. A thread that is lost fails the sessions that it has begun; those that waited for their turn go to a new
 * one in its place. One that does not answer to the end of a session computes without end, and is ended by force.
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
        const place = this.#enter(given.signal);
        try {
          await place.slot.open();
        } catch (error) {
          place.leave();
          throw error;
        }
        let begin = () => {};
        const begun = new Promise<void>((resolve) => {
          begin = resolve;
        });
        return { run: (input) => this.#run(name, context, { place, input, begin }), [BEGUN]: begun } satisfies LateLoop;
      },
    };
  }

  async close(): Promise<void> {
    await Promise.all(this.#slots.map((slot) => slot.close()));
  }

  #enter(signal: AbortSignal): ThreadPlace {
    return this.#slots.reduce((best, slot) => (slot.rank < best.rank ? slot : best)).enter(signal);
  }

  async #run(
    loop: string,
    context: AgentLoopContext,
    { place: first, input, begin }: { readonly place: ThreadPlace; readonly input: AgentLoopInput; begin(): void },
  ): Promise<readonly AgentLoopOutput[]> {
    const { trajectoryId, sampling, tools, interactions, options, signal, tracer = noTracer } = context;
    const id = this.#nextId++;
    const toolSession = { trajectoryId, row: input.row, state: new Map<string, unknown>() };
    const spans = new RelayedSpans(tracer);
    let hasBegun = false;
    const session: DriverSession = {
      ...{ context, toolSession, admitted: new Map(), held: new Map(), spans },
      begin() {
        hasBegun = true;
        begin();
      },
    };
    this.#sessions.set(id, session);
    let place = first;
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
      for (let moves = 0; ; moves++) {
        try {
          return await place.slot.run({ id, loop, trajectoryId, sampling, options, ...shown, ...input }, { signal });
        } catch (error) {
          const isLost = isVerlError(error) && error.code === "VERL_AGENT_THREAD_LOST";
          if (!isLost || hasBegun || signal.aborted || moves >= MAX_MOVES) throw error;
          place.leave();
          place = this.#enter(signal);
          place.take();
        }
      }
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
