import type { Profiler } from "../host/profiler.js";
import { noTracer, type Tracer } from "../tracing/index.js";

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
