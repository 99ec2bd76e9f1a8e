/** Public entry of the tracing room: how a run tells what it does while it does it. */
export { ambientTracer, withTracer } from "./ambient-tracer.js";
export { ATTRIBUTE } from "./attributes.js";
export { composeTracers, noTracer } from "./compose-tracers.js";
export { tracingErrors } from "./errors.js";
export { LateTracer } from "./late-tracer.js";
export { type OpenedSpan, RelayedSpans, RelayTracer, type SpanNews } from "./relay/index.js";
export { parseSpans, type ReadSpan, readSpans, TRACES_FILE } from "./span-file.js";
export type * from "./tracer.js";
