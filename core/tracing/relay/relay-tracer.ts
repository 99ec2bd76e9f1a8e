import { AsyncLocalStorage } from "node:async_hooks";
import type { Span, SpanStart, Tracer } from "../tracer.js";
import { failureOf, plainAttributes, type SpanEvent } from "./span-events.js";

/** The tracer of a session in a thread: it tells the driver, which has the run's. */
export class RelayTracer implements Tracer {
  /** Which prompts are traced has been decided. */
  readonly promptsPerWorker = null;
  readonly #around = new AsyncLocalStorage<number>();
  #next = 0;

  constructor(
    private readonly tell: (event: SpanEvent) => void,
    readonly wantsText: boolean,
  ) {}

  /** The innermost span around what runs now; null: none. What is asked of the driver happens in it. */
  get current(): number | null {
    return this.#around.getStore() ?? null;
  }

  async span<T>({ kind, name, attributes, root, traced, startedAt }: SpanStart, work: (span: Span) => Promise<T>) {
    const id = this.#next++;
    const began = performance.now();
    const from = startedAt ?? Date.now();
    let endedAt: number | null = null;
    const end = (failure: Extract<SpanEvent, { event: "end" }>["failure"]) =>
      this.tell({ event: "end", id, at: endedAt ?? from + performance.now() - began, failure });
    const start: SpanStart = {
      kind,
      name,
      attributes: plainAttributes(attributes ?? {}),
      root,
      traced,
      startedAt: from,
    };
    this.tell({ event: "begin", id, parent: this.current, start });
    let value: T;
    try {
      value = await this.#around.run(id, () =>
        work({
          set: (more) => this.tell({ event: "set", id, attributes: plainAttributes(more) }),
          endAt: (time) => {
            endedAt = time;
          },
        }),
      );
    } catch (error) {
      end(failureOf(error));
      throw error;
    }
    end(null);
    return value;
  }

  async finish(): Promise<void> {}
}
