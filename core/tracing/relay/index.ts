export { type OpenedSpan, RelayTracer } from "./relay-tracer.js";
export { RelayedSpans } from "./relayed-spans.js";
export type { LinkedSpan, SpanNews } from "./span-events.js";
