import type { ErrorCode } from "../../host/errors.js";
import { isVerlError, reasonOf, VerlError } from "../../host/errors.js";
import { type PortableError, portableError } from "../../host/workers/error-transport.js";
import type { SpanAttributes, SpanEvent, SpanIds, SpanStart } from "../tracer.js";

/** What a thread tells of its spans, in the order in which it happens. Plain data. */
export type SpanNews =
  | {
      readonly event: "begin";
      /** Of the span, among those of its session. */
      readonly id: number;
      /** The span around it; null where there is none in the thread. */
      readonly parent: number | null;
      readonly start: SpanStart;
    }
  | { readonly event: "set"; readonly id: number; readonly attributes: SpanAttributes }
  | { readonly event: "happened"; readonly id: number; readonly what: SpanEvent }
  | { readonly event: "linked"; readonly id: number; readonly to: LinkedSpan; readonly attributes: SpanAttributes }
  | {
      readonly event: "end";
      readonly id: number;
      /** Milliseconds since 1970. */
      readonly at: number;
      /** What the work threw; null where it ended well. */
      readonly failure: SpanFailure | null;
    };

/** A span anywhere, or one of the same session's thread by its number. */
export type LinkedSpan = SpanIds | number;

/** An error as a trace names it: by its code, or by its class. */
export type SpanFailure =
  | { readonly coded: PortableError }
  | { readonly coded: null; readonly name: string; readonly message: string };

export function failureOf(error: unknown): SpanFailure {
  // The fallback is for errors without a code, which do not come here.
  if (isVerlError(error)) return { coded: portableError(error, error.code as ErrorCode) };
  return { coded: null, name: error instanceof Error ? error.name : typeof error, message: reasonOf(error) };
}

/** The error again, as far as traces tell of it. */
export function errorOfFailure(failure: SpanFailure): Error {
  if (failure.coded) {
    const { code, ...details } = failure.coded;
    return new VerlError(code as ErrorCode, details);
  }
  return Object.assign(new Error(failure.message), { name: failure.name });
}

/** The attributes that a channel can carry: a loop's own may hold anything. */
export function plainAttributes(attributes: SpanAttributes): SpanAttributes {
  return Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) => {
      if (Array.isArray(value)) return [[name, value.map(String)]];
      return ["string", "number", "boolean"].includes(typeof value) ? [[name, value]] : [];
    }),
  );
}
