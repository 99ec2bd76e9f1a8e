import { appendFile, mkdir, rm } from "node:fs/promises";
import path from "node:path";
import {
  reasonOf,
  type Span,
  type SpanStart,
  type Tracer,
  type TracerFactory,
  type TracerOptions,
} from "verl-ts/plugin";

/** Spans that are kept until they are written together. */
const AT_A_TIME = 200;

/** Writes a line of JSON for each span, with its seconds, into the run's folder. A real one sends them somewhere. */
class LineTracer implements Tracer {
  /** No texts of prompts and answers, which may be private. */
  readonly wantsText = false;
  readonly promptsPerWorker: number | null;
  #lines: string[] = [];
  #writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly file: string,
    private readonly options: TracerOptions,
  ) {
    this.promptsPerWorker = options.trace.maxSamplesPerStepPerWorker;
  }

  async span<T>({ kind, name, attributes, traced = true }: SpanStart, work: (span: Span) => Promise<T>): Promise<T> {
    const known: Record<string, unknown> = { ...attributes };
    const started = performance.now();
    let outcome = "failed";
    try {
      const value = await work({ set: (more) => void Object.assign(known, more) });
      outcome = "ok";
      return value;
    } finally {
      const seconds = (performance.now() - started) / 1000;
      if (traced) this.#lines.push(`${JSON.stringify({ kind, name, outcome, seconds, ...known })}\n`);
      if (this.#lines.length >= AT_A_TIME) void this.#flush();
    }
  }

  async finish(): Promise<void> {
    await this.#flush();
  }

  /** A tracer never fails: what it cannot write it says once, and goes on without. */
  #flush(): Promise<void> {
    const text = this.#lines.splice(0).join("");
    this.#writing = this.#writing
      .then(() => appendFile(this.file, text))
      .catch((error) => {
        this.options.logger.warn(`spans cannot be written to ${this.file}: ${reasonOf(error)}`);
      });
    return this.#writing;
  }
}

export const tracer: TracerFactory = {
  name: "__SHORT__",
  async create(options) {
    const file = path.join(options.outputDir, "__SHORT__-spans.jsonl");
    await mkdir(options.outputDir, { recursive: true });
    // A resumed run goes on with what is there.
    if (!options.resumed) await rm(file, { force: true });
    return new LineTracer(file, options);
  },
};
