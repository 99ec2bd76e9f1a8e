import { type MetricReduction, type Profiler, profiled } from "../../../core/plugin.js";
import type { Graph } from "../ir/index.js";
import type { OrtRuntime, OrtSession, OrtSessionOptions } from "../runtime/index.js";

/** A graph in onnxruntime, with the names of what it takes and gives. */
export interface Compiled {
  readonly session: OrtSession;
  readonly inputNames: readonly string[];
  /** Metrics of a lowered loss. */
  readonly metrics: Readonly<Record<string, MetricReduction>>;
  /** A lowered loss that compares the two rows of a pair. */
  readonly comparesPairs: boolean;
}

export interface Compilable {
  readonly graph: Graph;
  readonly metrics?: Compiled["metrics"];
  readonly comparesPairs?: boolean;
}

/** Graphs are emitted and compiled once per key. */
export class SessionCache {
  private readonly compiled = new Map<string, Promise<Compiled | null>>();

  constructor(
    private readonly runtime: OrtRuntime,
    private readonly options: OrtSessionOptions,
    private readonly profiler?: Profiler,
  ) {}

  get(key: string, build: () => Compilable): Promise<Compiled>;
  get(key: string, build: () => Compilable | null): Promise<Compiled | null>;
  get(key: string, build: () => Compilable | null): Promise<Compiled | null> {
    let entry = this.compiled.get(key);
    if (!entry) {
      entry = this.build(build);
      entry.catch(() => this.compiled.delete(key));
      this.compiled.set(key, entry);
    }
    return entry;
  }

  /** A graph of the host's own, without a loss. */
  readonly compile = async (key: string, build: () => Graph): Promise<OrtSession> => {
    return (await this.get(key, () => ({ graph: build() }))).session;
  };

  async dispose(): Promise<void> {
    const entries = await Promise.allSettled(this.compiled.values());
    this.compiled.clear();
    for (const entry of entries) if (entry.status === "fulfilled") await entry.value?.session.release();
  }

  private async build(build: () => Compilable | null): Promise<Compiled | null> {
    const built = build();
    if (built === null) return null;
    const { profiler } = this;
    const options = profiler ? { ...this.options, tracePath: profiler.operatorTrace("training") } : this.options;
    const session = await profiled(profiler, "compile", () =>
      this.runtime.createSession(built.graph.encode(), options),
    );
    const { graph, metrics = {}, comparesPairs = false } = built;
    return { session, inputNames: graph.inputNames, metrics, comparesPairs };
  }
}
