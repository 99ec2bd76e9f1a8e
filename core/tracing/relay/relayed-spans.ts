import { AsyncResource } from "node:async_hooks";
import type { Span, Tracer } from "../tracer.js";
import { errorOfFailure, type LinkedSpan, type SpanNews } from "./span-events.js";

interface Relayed {
  /** Where what happens in the span is run, once the tracer has begun it. */
  around: AsyncResource | null;
  span: Span | null;
  /** Told before the tracer has begun it. */
  readonly early: ((span: Span) => void)[];
  readonly ended: Promise<void>;
  end(): void;
  fail(error: unknown): void;
}

/**
 * The spans of one session in a thread, opened here as the thread tells of them, inside whatever span is around where this was made.
 * They begin and end at the thread's times.
 */
export class RelayedSpans {
  readonly #spans = new Map<number, Relayed>();
  readonly #open = new Set<number>();
  readonly #outside = new AsyncResource("verl.session");
  readonly #told = new Set<Promise<void>>();
  #closed = false;

  constructor(private readonly tracer: Tracer) {}

  /** What comes after the end is of a session that is over. */
  take(news: SpanNews): void {
    if (this.#closed) return;
    if (news.event === "begin") {
      this.#begin(news);
      return;
    }
    const relayed = this.#spans.get(news.id);
    if (!relayed) return;
    if (news.event !== "end") {
      const tell = (span: Span) => this.#tell(span, news);
      if (relayed.span) tell(relayed.span);
      else relayed.early.push(tell);
      return;
    }
    this.#open.delete(news.id);
    relayed.span?.endAt?.(news.at);
    if (news.failure) relayed.fail(errorOfFailure(news.failure));
    else relayed.end();
  }

  /** Runs this inside a span of the thread's, or of the session where `id` names none. */
  inside<T>(id: number | null, work: () => T): T {
    const around = id === null ? null : this.#spans.get(id)?.around;
    return (around ?? this.#outside).runInAsyncScope(work);
  }

  /** Ends what the thread has left open, the innermost first: with this error, or well where there is none. */
  async close(error: unknown = null): Promise<void> {
    this.#closed = true;
    for (const id of [...this.#open].reverse()) {
      this.#open.delete(id);
      const relayed = this.#spans.get(id);
      if (error === null) relayed?.end();
      else relayed?.fail(error);
    }
    await Promise.all(this.#told);
  }

  #tell(span: Span, news: Exclude<SpanNews, { event: "begin" | "end" }>): void {
    if (news.event === "set") span.set(news.attributes);
    else if (news.event === "happened") span.addEvent?.(news.what);
    else {
      const to = this.#idsOf(news.to);
      if (to) span.addLink?.({ to, attributes: news.attributes });
    }
  }

  #idsOf(to: LinkedSpan) {
    return typeof to === "number" ? (this.#spans.get(to)?.span?.ids?.() ?? null) : to;
  }

  #begin({ id, parent, start }: Extract<SpanNews, { event: "begin" }>): void {
    const relayed = newRelayed();
    this.#spans.set(id, relayed);
    this.#open.add(id);
    const told: Promise<void> = this.inside(parent, () =>
      this.tracer.span(start, (span) => {
        relayed.span = span;
        relayed.around = new AsyncResource("verl.span");
        for (const tell of relayed.early) tell(span);
        return relayed.ended;
      }),
    ).then(
      () => void this.#told.delete(told),
      // What failed in the thread, its loop knows.
      () => void this.#told.delete(told),
    );
    this.#told.add(told);
  }
}

function newRelayed(): Relayed {
  let end: Relayed["end"] = () => {};
  let fail: Relayed["fail"] = () => {};
  const ended = new Promise<void>((resolve, reject) => {
    end = resolve;
    fail = reject;
  });
  // A tracer may begin the span later than it ends.
  ended.catch(() => {});
  return { around: null, span: null, early: [], ended, end, fail };
}
