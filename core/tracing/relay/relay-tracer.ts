import { AsyncLocalStorage } from "node:async_hooks";
import type { Span, SpanAttributes, SpanEvent, SpanStart, Tracer } from "../tracer.js";
import { failureOf, type LinkedSpan, plainAttributes, type SpanNews } from "./span-events.js";

/** A span of a thread that has begun and not ended. */
export interface OpenedSpan {
  readonly id: number;
  set(attributes: SpanAttributes): void;
  addEvent(event: SpanEvent): void;
  /** `to`: the ids of a span, or the `id` of one of this tracer's. */
  addLink(link: { readonly to: LinkedSpan; readonly attributes?: SpanAttributes }): void;
  /** `error`: what its work threw. `at`: milliseconds since 1970; default: now. Once; later calls have no effect. */
  end(options?: { readonly error?: unknown; readonly at?: number }): void;
}

/** The tracer of a session in a thread: it tells the driver, which has the run's. */
export class RelayTracer implements Tracer {
  /** Which prompts are traced has been decided. */
  readonly promptsPerWorker = null;
  readonly #around = new AsyncLocalStorage<number>();
  #next = 0;

  constructor(
    private readonly tell: (news: SpanNews) => void,
    readonly wantsText: boolean,
  ) {}

  /** The innermost span around what runs now; null: none. What is asked of the driver happens in it. */
  get current(): number | null {
    return this.#around.getStore() ?? null;
  }

  /** Begins a span for a library that begins and ends them by calls. Nothing is inside it but what `within` runs. */
  open({ kind, name, attributes, root, traced, startedAt }: SpanStart, parent = this.current): OpenedSpan {
    const id = this.#next++;
    const began = performance.now();
    const from = startedAt ?? Date.now();
    const now = () => from + performance.now() - began;
    const start: SpanStart = {
      kind,
      name,
      attributes: plainAttributes(attributes ?? {}),
      root,
      traced,
      startedAt: from,
    };
    this.tell({ event: "begin", id, parent, start });
    let isEnded = false;
    return {
      id,
      set: (more) => this.tell({ event: "set", id, attributes: plainAttributes(more) }),
      addEvent: ({ name: what, attributes: more = {}, at = now() }) =>
        this.tell({ event: "happened", id, what: { name: what, at, attributes: plainAttributes(more) } }),
      addLink: ({ to, attributes: more = {} }) =>
        this.tell({ event: "linked", id, to, attributes: plainAttributes(more) }),
      end: ({ at = now(), ...options } = {}) => {
        if (isEnded) return;
        isEnded = true;
        this.tell({ event: "end", id, at, failure: "error" in options ? failureOf(options.error) : null });
      },
    };
  }

  /** Runs this inside an open span. */
  within<T>(id: number, work: () => T): T {
    return this.#around.run(id, work);
  }

  async span<T>(start: SpanStart, work: (span: Span) => Promise<T>): Promise<T> {
    const opened = this.open(start);
    const { set, addEvent, addLink } = opened;
    let at: number | undefined;
    const endAt = (time: number) => {
      at = time;
    };
    let value: T;
    try {
      value = await this.within(opened.id, () => work({ set, addEvent, addLink, endAt }));
    } catch (error) {
      opened.end({ error, at });
      throw error;
    }
    opened.end({ at });
    return value;
  }

  async finish(): Promise<void> {}
}
