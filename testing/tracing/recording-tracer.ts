import { AsyncLocalStorage } from "node:async_hooks";
import type {
  Gauge,
  Span,
  SpanAttributes,
  SpanEvent,
  SpanIds,
  SpanLink,
  SpanStart,
  Tracer,
} from "../../core/plugin.js";

/** A span that a {@link RecordingTracer} was told of. */
export class RecordedSpan implements Span {
  readonly children: RecordedSpan[] = [];
  attributes: SpanAttributes;
  readonly events: SpanEvent[] = [];
  readonly links: SpanLink[] = [];
  ended = false;
  /** Where it was told: {@link Span.endAt}. */
  endedAt: number | null = null;
  error: unknown = null;

  constructor(
    readonly start: SpanStart,
    private readonly own: SpanIds | null = null,
  ) {
    this.attributes = start.attributes ?? {};
  }

  set(attributes: SpanAttributes): void {
    this.attributes = { ...this.attributes, ...attributes };
  }

  addEvent(event: SpanEvent): void {
    this.events.push(event);
  }

  addLink(link: SpanLink): void {
    this.links.push(link);
  }

  ids(): SpanIds | null {
    return this.own;
  }

  endAt(time: number): void {
    this.endedAt = time;
  }
}

/** A tracer that keeps what it is told, for tests of what tells it. */
export class RecordingTracer implements Tracer {
  /** Those that no other is around, in their order. */
  readonly roots: RecordedSpan[] = [];
  readonly gauges: (() => readonly Gauge[])[] = [];
  finished = 0;
  #spans = 0;
  readonly #around = new AsyncLocalStorage<RecordedSpan>();

  constructor(
    readonly wantsText = false,
    readonly promptsPerWorker: number | null = null,
  ) {}

  async span<T>(start: SpanStart, work: (span: Span) => Promise<T>): Promise<T> {
    const spanId = (++this.#spans).toString(16).padStart(16, "0");
    const span = new RecordedSpan(start, { traceId: "1".padStart(32, "0"), spanId });
    const parent = start.root ? undefined : this.#around.getStore();
    (parent?.children ?? this.roots).push(span);
    try {
      return await this.#around.run(span, () => work(span));
    } catch (error) {
      span.error = error;
      throw error;
    } finally {
      span.ended = true;
    }
  }

  observe(read: () => readonly Gauge[]): void {
    this.gauges.push(read);
  }

  async finish(): Promise<void> {
    this.finished++;
  }
}
