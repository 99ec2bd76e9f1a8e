import path from "node:path";
import type { Profiler } from "../../core/host/index.js";

/** A stretch of time in milliseconds since the recorder began. */
export interface Stretch {
  readonly name: string;
  /** Stages that it lies in, outermost first. */
  readonly within: readonly string[];
  readonly start: number;
  readonly end: number;
}

export interface MemorySample {
  readonly at: number;
  /** Resident set of the process. */
  readonly bytes: number;
}

const SAMPLE_EVERY_MS = 10;

/** Remembers stages, what engines did within them, and the memory of the process meanwhile. */
export class ProfileRecorder implements Profiler {
  readonly stages: Stretch[] = [];
  readonly spans: Stretch[] = [];
  readonly memory: MemorySample[] = [];
  private readonly begin = performance.now();
  private readonly open: string[] = [];
  private readonly timer: NodeJS.Timeout;
  private traces = 0;

  constructor(
    /** Where traces of operators go. */
    readonly folder: string,
  ) {
    this.timer = setInterval(() => this.sample(), SAMPLE_EVERY_MS);
    this.timer.unref();
    this.sample();
  }

  async stage<T>(name: string, work: () => Promise<T>): Promise<T> {
    const within = [...this.open];
    this.open.push(name);
    const start = this.now();
    this.sample();
    try {
      return await work();
    } finally {
      this.open.pop();
      this.sample();
      this.stages.push({ name, within, start, end: this.now() });
    }
  }

  async span<T>(name: string, work: () => Promise<T>): Promise<T> {
    const within = [...this.open];
    const start = this.now();
    try {
      return await work();
    } finally {
      this.sample();
      this.spans.push({ name, within, start, end: this.now() });
    }
  }

  operatorTrace(purpose: "training" | "sampling"): string {
    return path.join(this.folder, `${purpose}-${this.traces++}`);
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private now(): number {
    return performance.now() - this.begin;
  }

  private sample(): void {
    this.memory.push({ at: this.now(), bytes: process.memoryUsage.rss() });
  }
}
