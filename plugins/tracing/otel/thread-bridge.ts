import {
  type Attributes,
  type Context,
  context,
  type Exception,
  INVALID_SPAN_CONTEXT,
  isSpanContextValid,
  type Link,
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
 * that they are opened in, with their attributes, events, links, times and status.
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
    const span = new BridgeSpan(relay, relay.open(start, options.root ? null : around));
    return span.addLinks(options.links ?? []);
  },
  startActiveSpan<F extends (span: OtelSpan) => unknown>(name: string, ...rest: unknown[]): ReturnType<F> {
    const work = rest.at(-1) as F;
    const [options, given] = rest.slice(0, -1) as [SpanOptions?, Context?];
    const span = TRACER.startSpan(name, options, given);
    return context.with(trace.setSpan(given ?? context.active(), span), () => work(span)) as ReturnType<F>;
  },
};

/** Spans that have no ids yet are told apart by the object that stands for these. */
const BRIDGED = new WeakMap<SpanContext, number>();

class BridgeSpan implements OtelSpan {
  readonly #context: SpanContext = { ...INVALID_SPAN_CONTEXT };
  #isRecording = true;
  #failure: SpanStatus | null = null;

  constructor(
    readonly relay: RelayTracer,
    private readonly opened: OpenedSpan,
  ) {
    BRIDGED.set(this.#context, opened.id);
  }

  get id(): number {
    return this.opened.id;
  }

  /** Not valid: the exported span has an id that is not known here, so nothing is to be handed on to other services. */
  spanContext(): SpanContext {
    return this.#context;
  }

  setAttribute(name: string, value: Attributes[string]): this {
    return this.setAttributes({ [name]: value });
  }

  setAttributes(attributes: Attributes): this {
    this.opened.set(attributesOf(attributes));
    return this;
  }

  addEvent(name: string, second?: Attributes | TimeInput, third?: TimeInput): this {
    const [attributes, time] = isTime(second) ? [{}, second] : [second, third];
    const at = time === undefined ? {} : { at: milliseconds(time) };
    this.opened.addEvent({ name, attributes: attributesOf(attributes), ...at });
    return this;
  }

  addLink({ context: linked, attributes }: Link): this {
    const { traceId, spanId } = linked;
    const to = BRIDGED.get(linked) ?? (isSpanContextValid(linked) ? { traceId, spanId } : null);
    if (to !== null) this.opened.addLink({ to, attributes: attributesOf(attributes) });
    return this;
  }

  addLinks(links: readonly Link[]): this {
    for (const link of links) this.addLink(link);
    return this;
  }

  setStatus(status: SpanStatus): this {
    this.#failure = status.code === SpanStatusCode.ERROR ? status : null;
    return this;
  }

  updateName(): this {
    return this;
  }

  /** The message may hold what a model wrote. */
  recordException(exception: Exception, time?: TimeInput): void {
    const error = typeof exception === "string" ? { message: exception } : exception;
    this.addEvent("exception", { "exception.type": error.name ?? "Error", ...this.#text(error) }, time);
  }

  #text({ message, stack }: { readonly message?: string; readonly stack?: string }): Attributes {
    return this.relay.wantsText ? { "exception.message": message, "exception.stacktrace": stack } : {};
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

const isTime = (value: unknown): value is TimeInput =>
  typeof value === "number" || Array.isArray(value) || value instanceof Date;

/** Since 1970. Numbers below the age of this thread count from its start, as OpenTelemetry has it. */
function milliseconds(time: TimeInput): number {
  if (time instanceof Date) return time.getTime();
  if (Array.isArray(time)) return time[0] * 1000 + time[1] / 1e6;
  return time < performance.now() ? performance.timeOrigin + time : time;
}
