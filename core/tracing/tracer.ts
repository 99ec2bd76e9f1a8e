import type { Awaitable, DiagnoseOptions, Diagnosis, Logger } from "../host/types.js";

/**
 * What a span is about. `step`: a training step; `phase`: a named part of one; `session`: one agent loop over one prompt, with
 * its reward; `generate`: a turn of the model; `tool`: a call of a tool; `reward`: the score of a session, with what it
 * waits for; `score`: a call of a scorer, a reward function or a reward model; `judge`: a request to a judge; `own`: what code of the
 * user's opened in a thread through a tracing library.
 */
export type SpanKind = "step" | "phase" | "session" | "generate" | "tool" | "reward" | "score" | "judge" | "own";

/** Undefined values are left out. Names are OpenTelemetry's where it has one, else `verl.…`. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

export interface SpanStart {
  readonly kind: SpanKind;
  /** Of the loop, the tool, the phase, …; never what a model wrote. */
  readonly name: string;
  readonly attributes?: SpanAttributes;
  /** Begins a trace of its own, whatever is around it. */
  readonly root?: boolean;
  /** False: neither this span nor what is inside it is recorded as a trace. It counts in metrics all the same. */
  readonly traced?: boolean;
  /** When it began, milliseconds since 1970, where it is told of later than that. Default: now. */
  readonly startedAt?: number;
}

/** Something that happens in a span. */
export interface SpanEvent {
  readonly name: string;
  readonly attributes?: SpanAttributes;
  /** Milliseconds since 1970. Default: now. */
  readonly at?: number;
}

/** A span's ids, as W3C has them: 32 and 16 hexadecimal digits. */
export interface SpanIds {
  readonly traceId: string;
  readonly spanId: string;
}

/** Another span that a span has to do with, beside the one around it. */
export interface SpanLink {
  readonly to: SpanIds;
  readonly attributes?: SpanAttributes;
}

export interface Span {
  set(attributes: SpanAttributes): void;
  addEvent?(event: SpanEvent): void;
  addLink?(link: SpanLink): void;
  /** Null, as without it: the tracer knows none. */
  ids?(): SpanIds | null;
  /** It ends at this time, milliseconds since 1970, however late its work settles. */
  endAt?(time: number): void;
}

/** A value that is read when somebody asks for the metrics. */
export interface Gauge {
  /** `verl_…`, with its unit. */
  readonly name: string;
  readonly help: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Told of what a run does, as nested spans. It never changes what the work returns or throws, and never fails itself. */
export interface Tracer {
  /** Whether spans are to hold texts of prompts, answers and calls. Nothing else may hold them. */
  readonly wantsText: boolean;
  /** Prompts of a worker and step that are traced, with all of their sessions; null: all. */
  readonly promptsPerWorker: number | null;
  span<T>(start: SpanStart, work: (span: Span) => Promise<T>): Promise<T>;
  /** Values to read from now on, until `finish`. */
  observe?(read: () => readonly Gauge[]): void;
  /** Writes what is left; called once, however the run ends. */
  finish(): Promise<void>;
}

export interface TracerOptions {
  /** The run's folder. */
  readonly outputDir: string;
  /** Whether the run goes on with what is in its folder. */
  readonly resumed: boolean;
  readonly projectName: string;
  readonly experimentName: string;
  /** Section `rollout.trace`. */
  readonly trace: {
    readonly token2text: boolean;
    readonly maxSamplesPerStepPerWorker: number | null;
    readonly endpoint: string | null;
    readonly headers: Readonly<Record<string, unknown>>;
  };
  /** Section `rollout.prometheus`. */
  readonly prometheus: {
    readonly port: number;
    readonly file: string | null;
    /** Path or id of the model; null: unnamed. */
    readonly servedModelName: string | null;
  };
  /** Base of relative paths. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly logger: Logger;
}

/** Registered by name; `rollout.trace.backend` picks one. */
export interface TracerFactory {
  readonly name: string;
  create(options: TracerOptions): Awaitable<Tracer>;
  /**
   * In a thread of a run that this traces, once: from now on, what a library of this tracer's is told there goes to the session's
   * `RelayTracer`, which is the `ambientTracer()`.
   */
  joinThread?(): Awaitable<void>;
  /** What `verl doctor` shows where the configuration asks for it: whether what it sends to answers. Must not throw. */
  diagnose?(options: DiagnoseOptions & Pick<TracerOptions, "trace" | "prometheus">): Awaitable<readonly Diagnosis[]>;
}
