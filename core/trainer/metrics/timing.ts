import type { Profiler } from "../../host/profiler.js";
import { ATTRIBUTE, noTracer, type SpanStart, type Tracer } from "../../tracing/index.js";

/** The span of a step, with all that is done in it. */
export const stepSpan = (step: number): SpanStart => ({
  ...({ kind: "step", name: "step", root: true } as const),
  attributes: { [ATTRIBUTE.step]: step },
});

/** Named timers of a step, in seconds; a timer that runs several times adds up. Each is a span, too, and a stage for a profiler. */
export class StepTimers {
  readonly #seconds = new Map<string, number>();

  constructor(
    private readonly tracer: Tracer = noTracer,
    private readonly profiler?: Profiler,
  ) {}

  async time<T>(name: string, work: () => Promise<T>): Promise<T> {
    const start = performance.now();
    try {
      const traced = () => this.tracer.span({ kind: "phase", name }, work);
      return await (this.profiler ? this.profiler.stage(name, traced) : traced());
    } finally {
      this.#seconds.set(name, this.seconds(name) + (performance.now() - start) / 1000);
    }
  }

  seconds(name: string): number {
    return this.#seconds.get(name) ?? 0;
  }

  get all(): ReadonlyMap<string, number> {
    return this.#seconds;
  }
}
