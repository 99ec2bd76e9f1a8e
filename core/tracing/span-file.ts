import { open } from "node:fs/promises";
import type { JsonValue } from "../host/types.js";
import { parseOutsideJson } from "../host/util/outside-json.js";
import { parsedLines } from "../host/util/parsed-lines.js";
import { isJsonObject } from "../host/util/plain-object.js";
import { tracingErrors } from "./errors.js";

/** OTLP JSON, one export per line: what OpenTelemetry's collector reads (`otlpjsonfile`). */
export const TRACES_FILE = "traces.jsonl";

/** A span as it was written, with plain values. */
export interface ReadSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly name: string;
  /** Milliseconds since 1970, with fractions. */
  readonly start: number;
  readonly end: number;
  readonly isError: boolean;
  readonly attributes: Readonly<Record<string, JsonValue>>;
}

type Json = { readonly [name: string]: JsonValue };

/**
 * The spans of a file in its order. A last line that cannot be read was cut off by a crash and is left out; any other is
 * `VERL_TRACING_BAD_FILE`.
 */
export async function* readSpans(file: string): AsyncGenerator<ReadSpan> {
  const handle = await open(file, "r").catch((cause: unknown) => {
    throw tracingErrors.VERL_TRACING_BAD_FILE({ what: "the file cannot be opened", where: file, cause });
  });
  try {
    yield* parsedLines(handle, (line, number) => parseSpans(line, `${file}:${number}`));
  } finally {
    await handle.close();
  }
}

/** The spans of a line. @throws VERL_TRACING_BAD_FILE */
export function parseSpans(text: string, where: string): ReadSpan[] {
  let line: JsonValue;
  try {
    line = parseOutsideJson(text);
  } catch (cause) {
    throw tracingErrors.VERL_TRACING_BAD_FILE({ what: "the line is no JSON", where, cause });
  }
  if (!isJsonObject(line) || !Array.isArray(line.resourceSpans)) {
    throw tracingErrors.VERL_TRACING_BAD_FILE({
      what: "the line is no export of spans: it has no resourceSpans",
      where,
    });
  }
  return listOf(line.resourceSpans)
    .flatMap((resource) => listOf(resource.scopeSpans))
    .flatMap((scope) => listOf(scope.spans))
    .map((span) => spanOf(span, where));
}

function spanOf(span: Json, where: string): ReadSpan {
  const { traceId, spanId, name, parentSpanId } = span;
  if (typeof traceId !== "string" || typeof spanId !== "string" || typeof name !== "string") {
    throw tracingErrors.VERL_TRACING_BAD_FILE({ what: "a span has no traceId, spanId or name", where });
  }
  const { code } = isJsonObject(span.status) ? span.status : { code: null };
  return {
    traceId,
    spanId,
    parentSpanId: typeof parentSpanId === "string" && parentSpanId !== "" ? parentSpanId : null,
    name,
    start: milliseconds(span.startTimeUnixNano),
    end: milliseconds(span.endTimeUnixNano),
    isError: code === 2 || code === "STATUS_CODE_ERROR",
    attributes: Object.fromEntries(
      listOf(span.attributes).flatMap(({ key, value }) =>
        typeof key === "string" && isJsonObject(value) ? [[key, plain(value)]] : [],
      ),
    ),
  };
}

/** 64-bit numbers are texts in OTLP's JSON. */
function milliseconds(nanoseconds: JsonValue | undefined): number {
  const text = String(nanoseconds ?? "");
  return /^\d{1,20}$/.test(text) ? Number(BigInt(text) / 1000n) / 1000 : 0;
}

function plain(value: Json): JsonValue {
  if (isJsonObject(value.arrayValue)) return listOf(value.arrayValue.values).map(plain);
  if (value.intValue !== undefined) return Number(value.intValue);
  return value.stringValue ?? value.doubleValue ?? value.boolValue ?? null;
}

const listOf = (value: JsonValue | undefined): Json[] => (Array.isArray(value) ? value.filter(isJsonObject) : []);
