import { randomUUID } from "node:crypto";
import path from "node:path";
import {
  type Context,
  context,
  createContextKey,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  SpanStatusCode,
  TraceFlags,
  trace,
} from "@opentelemetry/api";
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type Sampler,
  SamplingDecision,
  type SpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { maskSecrets } from "../../../core/config/index.js";
import {
  ATTRIBUTE,
  isVerlError,
  type Span,
  type SpanAttributes,
  type SpanIds,
  type SpanKind,
  type SpanStart,
  type Tracer,
  type TracerOptions,
} from "../../../core/plugin.js";
import { TRACES_FILE, tracingErrors } from "../../../core/tracing/index.js";
import { AsyncContext } from "./async-context.js";
import { HttpExporter, tracesUrl } from "./http-exporter.js";
import { SpanFileProcessor } from "./span-file-processor.js";

/** Whether what happens in a context is left out, and the attributes of the session, or other root, around it. */
const UNTRACED = createContextKey("verl.untraced");
const SCOPE = createContextKey("verl.scope");
/** Of a text: a prompt may be as long as a model's context. */
const LONGEST_TEXT = 65_536;
const TEXTS: ReadonlySet<string> = new Set([
  ...[ATTRIBUTE.promptText, ATTRIBUTE.responseText, ATTRIBUTE.arguments, ATTRIBUTE.result],
]);
/** What of a root every span inside it says, too. */
const SCOPED = [ATTRIBUTE.step, ATTRIBUTE.validate, ATTRIBUTE.sampleIndex, ATTRIBUTE.rolloutN, ATTRIBUTE.trajectory];

const sampler: Sampler = {
  shouldSample: (around: Context) => ({
    decision: around.getValue(UNTRACED) === true ? SamplingDecision.NOT_RECORD : SamplingDecision.RECORD_AND_SAMPLED,
  }),
  toString: () => "the prompts that are traced",
};

/**
 * Spans by OpenTelemetry's SDK, into `traces.jsonl` of the run's folder and, where there is one, to an endpoint. Spans that tools,
 * rewards and agents open through OpenTelemetry's API become part of the session that they run in.
 */
export class OtelTracer implements Tracer {
  readonly wantsText: boolean;
  readonly promptsPerWorker: number | null;
  readonly #provider: BasicTracerProvider;
  readonly #tracer: ReturnType<BasicTracerProvider["getTracer"]>;
  readonly #context: AsyncContext | null;
  readonly #common: SpanAttributes;
  readonly #masked: (text: string) => string;

  constructor({ outputDir, resumed, projectName, experimentName, trace: settings, env, logger }: TracerOptions) {
    this.wantsText = settings.token2text;
    this.promptsPerWorker = settings.maxSamplesPerStepPerWorker;
    this.#common = { [ATTRIBUTE.experiment]: experimentName };
    this.#masked = (text) => String(maskSecrets(text, env));
    const resource = {
      "service.name": "verl-ts",
      "service.namespace": projectName,
      "service.instance.id": randomUUID(),
      [ATTRIBUTE.experiment]: experimentName,
    };
    const file = path.join(outputDir, TRACES_FILE);
    const processors: SpanProcessor[] = [new SpanFileProcessor(file, { resource, append: resumed, logger })];
    if (settings.endpoint !== null) {
      const exporter = new HttpExporter(endpointOf(settings.endpoint), {
        headers: Object.fromEntries(Object.entries(settings.headers).map(([name, value]) => [name, String(value)])),
        resource,
        logger,
      });
      processors.push(new BatchSpanProcessor(exporter, { maxQueueSize: 16_384, scheduledDelayMillis: 1000 }));
    }
    this.#provider = new BasicTracerProvider({
      sampler,
      spanProcessors: processors,
      spanLimits: { attributeValueLengthLimit: LONGEST_TEXT },
    });
    this.#tracer = this.#provider.getTracer("verl-ts");
    // Somebody's own instrumentation may have set one, which then serves both.
    const own = new AsyncContext();
    this.#context = context.setGlobalContextManager(own) ? own : null;
    if (this.#context) trace.setGlobalTracerProvider(this.#provider);
  }

  span<T>(start: SpanStart, work: (span: Span) => Promise<T>): Promise<T> {
    const around = this.#contextOf(start);
    const attributes = {
      ...this.#common,
      ...(around.getValue(SCOPE) as SpanAttributes | undefined),
      ...start.attributes,
      [ATTRIBUTE.kind]: start.kind,
      [ATTRIBUTE.operation]: OPERATIONS[start.kind],
    };
    const { startedAt: startTime } = start;
    const otel = this.#tracer.startSpan(nameOf(start), { attributes: this.#clean(attributes), startTime }, around);
    const ids = otel.isRecording() ? idsOf(otel.spanContext()) : null;
    let endTime: number | undefined;
    const span: Span = {
      set: (more) => void otel.setAttributes(this.#clean(more)),
      addEvent: ({ name, attributes: more = {}, at }) => void otel.addEvent(name, this.#clean(more), at),
      addLink: ({ to, attributes: more = {} }) =>
        void otel.addLink({ context: { ...to, traceFlags: TraceFlags.SAMPLED }, attributes: this.#clean(more) }),
      ids: () => ids,
      endAt: (time) => {
        endTime = time;
      },
    };
    return context.with(trace.setSpan(around, otel), async () => {
      try {
        return await work(span);
      } catch (error) {
        this.#fail(otel, error);
        throw error;
      } finally {
        otel.end(endTime);
      }
    });
  }

  async finish(): Promise<void> {
    await this.#provider.shutdown();
    if (!this.#context) return;
    trace.disable();
    context.disable();
  }

  #contextOf({ root, traced, attributes }: SpanStart): Context {
    let around = root ? ROOT_CONTEXT : context.active();
    if (traced === false) around = around.setValue(UNTRACED, true);
    if (!root) return around;
    const scope = SCOPED.flatMap((name) => (attributes?.[name] === undefined ? [] : [[name, attributes[name]]]));
    return around.setValue(SCOPE, Object.fromEntries(scope));
  }

  #clean(attributes: SpanAttributes): Record<string, string | number | boolean | string[]> {
    const kept: Record<string, string | number | boolean | string[]> = {};
    for (const [name, value] of Object.entries(attributes)) {
      if (value === undefined || (TEXTS.has(name) && !this.wantsText)) continue;
      kept[name] = typeof value === "string" ? this.#masked(value) : typeof value === "object" ? [...value] : value;
    }
    return kept;
  }

  /** The message of an error may hold what a model wrote. */
  #fail(span: OtelSpan, error: unknown): void {
    const type = isVerlError(error) ? error.code : error instanceof Error ? error.name : typeof error;
    const message = this.wantsText && error instanceof Error ? { message: this.#masked(error.message) } : {};
    span.setAttributes({ [ATTRIBUTE.errorType]: type });
    span.setStatus({ code: SpanStatusCode.ERROR, ...message });
  }
}

/** Of OpenTelemetry's conventions for generative AI. */
const OPERATIONS: { readonly [K in SpanKind]?: string } = {
  session: "invoke_agent",
  generate: "chat",
  tool: "execute_tool",
  judge: "chat",
};

const idsOf = ({ traceId, spanId }: SpanIds): SpanIds => ({ traceId, spanId });

const nameOf = ({ kind, name }: SpanStart) =>
  kind === "session" || kind === "tool" ? `${OPERATIONS[kind]} ${name}` : kind === "score" ? `score ${name}` : name;

function endpointOf(endpoint: string): URL {
  const url = tracesUrl(endpoint);
  if (typeof url !== "string") return url;
  throw tracingErrors.VERL_TRACING_BAD_OPTION({
    what: `the endpoint for traces cannot be used: ${url}`,
    where: "actor_rollout_ref.rollout.trace.endpoint",
    fix: "give an address such as http://127.0.0.1:4318",
  });
}
