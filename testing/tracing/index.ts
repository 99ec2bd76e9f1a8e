export { RecordedSpan, RecordingTracer } from "./recording-tracer.js";
export { type TracerUnderTest, tracerConformance, tracerOptions } from "./tracer-conformance.js";
