import {
  type Attributes,
  type Context,
  context,
  type Exception,
  INVALID_SPAN_CONTEXT,
  type Span as OtelSpan,
  type Tracer as OtelTracer,
  type SpanContext,
  type SpanOptions,
  type SpanStatus,
  SpanStatusCode,
  type TimeInput,
  type TracerProvider,
  trace,
} from "@opentelemetry/api";
import { ambientTracer, type OpenedSpan, RelayTracer, type SpanAttributes } from "../../../core/plugin.js";
import { AsyncContext } from "./async-context.js";

/**
 * In a thread: spans that a loop, or a library of its, opens through OpenTelemetry's API are told to the driver, as part of the session
 * that they are opened in. Their names, attributes, times and status are kept; events and links are not.
 */
export function bridgeThread(): void {
  if (!context.setGlobalContextManager(new BridgeContext())) return;
  trace.setGlobalTracerProvider(new BridgeProvider());
}

/** What is run with a bridged span in its context runs inside that span. */
class BridgeContext extends AsyncContext {
  override with<A extends unknown[], F extends (...args: A) => ReturnType<F>>(
    around: Context,
    fn: F,
    thisArg?: ThisParameterType<F>,
    ...args: A
  ): ReturnType<F> {
    const span = trace.getSpan(around);
    if (!(span instanceof BridgeSpan)) return super.with(around, fn, thisArg, ...args);
    return span.relay.within(span.id, () => super.with(around, fn, thisArg, ...args));
  }
}

class BridgeProvider implements TracerProvider {
  getTracer(): OtelTracer {
    return TRACER;
  }
}

const TRACER: OtelTracer = {
  startSpan(name: string, options: SpanOptions = {}, given?: Context): OtelSpan {
    const relay = ambientTracer();
    if (!(relay instanceof RelayTracer)) return trace.wrapSpanContext(INVALID_SPAN_CONTEXT);
    // A context that is named wins; the active one may be older than a span of the loop's own around this.
    const named = given && given !== context.active() ? trace.getSpan(given) : undefined;
    const around = named instanceof BridgeSpan ? named.id : relay.current;
    const start = {
      ...({ kind: "own", name, attributes: attributesOf(options.attributes) } as const),
      ...(options.startTime === undefined ? {} : { startedAt: milliseconds(options.startTime) }),
    };
    return new BridgeSpan(relay, relay.open(start, options.root ? null : around));
  },
  startActiveSpan<F extends (span: OtelSpan) => unknown>(name: string, ...rest: unknown[]): ReturnType<F> {
    const work = rest.at(-1) as F;
    const [options, given] = rest.slice(0, -1) as [SpanOptions?, Context?];
    const span = TRACER.startSpan(name, options, given);
    return context.with(trace.setSpan(given ?? context.active(), span), () => work(span)) as ReturnType<F>;
  },
};

class BridgeSpan implements OtelSpan {
  #isRecording = true;
  #failure: SpanStatus | null = null;

  constructor(
    readonly relay: RelayTracer,
    private readonly opened: OpenedSpan,
  ) {}

  get id(): number {
    return this.opened.id;
  }

  /** None: the exported span has an id that is not known here, so nothing is to be handed on to other services. */
  spanContext(): SpanContext {
    return INVALID_SPAN_CONTEXT;
  }

  setAttribute(name: string, value: Attributes[string]): this {
    return this.setAttributes({ [name]: value });
  }

  setAttributes(attributes: Attributes): this {
    this.opened.set(attributesOf(attributes));
    return this;
  }

  addEvent(): this {
    return this;
  }

  addLink(): this {
    return this;
  }

  addLinks(): this {
    return this;
  }

  setStatus(status: SpanStatus): this {
    this.#failure = status.code === SpanStatusCode.ERROR ? status : null;
    return this;
  }

  updateName(): this {
    return this;
  }

  /** The message may hold what a model wrote: it goes with the status, which the run's tracer knows how to treat. */
  recordException(exception: Exception): void {
    const type = typeof exception === "string" ? "Error" : exception.name;
    this.opened.set({ "exception.type": type });
  }

  end(endTime?: TimeInput): void {
    this.#isRecording = false;
    const at = endTime === undefined ? undefined : milliseconds(endTime);
    if (this.#failure === null) this.opened.end({ at });
    else this.opened.end({ at, error: new Error(this.#failure.message ?? "") });
  }

  isRecording(): boolean {
    return this.#isRecording;
  }
}

/** Those that have a value; members of lists that have none are left out. */
function attributesOf(attributes: Attributes = {}): SpanAttributes {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [name, Array.isArray(value) ? value.map(String) : value]),
  ) as SpanAttributes;
}

/** Since 1970. Numbers below the age of this thread count from its start, as OpenTelemetry has it. */
function milliseconds(time: TimeInput): number {
  if (time instanceof Date) return time.getTime();
  if (Array.isArray(time)) return time[0] * 1000 + time[1] / 1e6;
  return time < performance.now() ? performance.timeOrigin + time : time;
}
