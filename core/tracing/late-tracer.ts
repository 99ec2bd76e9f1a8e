import { noTracer } from "./compose-tracers.js";
import type { Span, SpanStart, Tracer } from "./tracer.js";

/** For what is made before the run's tracer is: it tells the one that it is given, and nobody until then. Whoever made that one finishes it. */
export class LateTracer implements Tracer {
  #tracer = noTracer;

  get wantsText(): boolean {
    return this.#tracer.wantsText;
  }

  get promptsPerWorker(): number | null {
    return this.#tracer.promptsPerWorker;
  }

  /** From now on. Spans that have begun stay where they are. */
  tell(tracer: Tracer): void {
    this.#tracer = tracer;
  }

  span<T>(start: SpanStart, work: (span: Span) => Promise<T>): Promise<T> {
    return this.#tracer.span(start, work);
  }

  async finish(): Promise<void> {}
}
