import type { AttributeValue, HrTime } from "@opentelemetry/api";
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base";

/** Attributes of the run, on every export. */
export type ResourceAttributes = Readonly<Record<string, string>>;

/**
 * Spans as an `ExportTraceServiceRequest` in OTLP's JSON form: ids as hexadecimal, enumerations as numbers, 64-bit integers as
 * texts (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding).
 */
export function exportRequest(spans: readonly ReadableSpan[], resource: ResourceAttributes): string {
  const scopes = new Map<string, ReadableSpan[]>();
  for (const span of spans) {
    const { name, version = "" } = span.instrumentationScope;
    const key = `${name}\0${version}`;
    const scope = scopes.get(key);
    if (scope) scope.push(span);
    else scopes.set(key, [span]);
  }
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeSpans: [...scopes].map(([key, of]) => {
          const [name, version] = key.split("\0");
          return { scope: { name, version }, spans: of.map(spanOf) };
        }),
      },
    ],
  });
}

function spanOf(span: ReadableSpan): object {
  const { traceId, spanId } = span.spanContext();
  const { parentSpanContext, events, links, status } = span;
  return {
    traceId,
    spanId,
    ...(parentSpanContext ? { parentSpanId: parentSpanContext.spanId } : {}),
    name: span.name,
    // The API counts from 0, the protocol keeps 0 for "unspecified".
    kind: span.kind + 1,
    startTimeUnixNano: nanoseconds(span.startTime),
    endTimeUnixNano: nanoseconds(span.endTime),
    attributes: attributesOf(span.attributes),
    ...(events.length > 0
      ? {
          events: events.map(({ name, time, attributes = {} }) => ({
            timeUnixNano: nanoseconds(time),
            name,
            attributes: attributesOf(attributes),
          })),
        }
      : {}),
    ...(links.length > 0
      ? {
          links: links.map(({ context, attributes = {} }) => ({
            traceId: context.traceId,
            spanId: context.spanId,
            attributes: attributesOf(attributes),
          })),
        }
      : {}),
    status: { code: status.code, ...(status.message ? { message: status.message } : {}) },
  };
}

const nanoseconds = ([seconds, nanos]: HrTime) => String(BigInt(seconds) * 1_000_000_000n + BigInt(nanos));

function attributesOf(attributes: Readonly<Record<string, AttributeValue | undefined>>): object[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: anyValue(value) }],
  );
}

function anyValue(value: AttributeValue | null): object {
  if (Array.isArray(value)) return { arrayValue: { values: value.map((item) => anyValue(item ?? null)) } };
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (Number.isSafeInteger(value)) return { intValue: String(value) };
  // JSON knows no NaN.
  return typeof value === "number" && Number.isFinite(value) ? { doubleValue: value } : { stringValue: String(value) };
}
