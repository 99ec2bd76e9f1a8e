import { defineErrors } from "../host/errors.js";

export const tracingErrors = defineErrors({
  VERL_TRACING_BAD_FILE: {
    summary: "A file of spans cannot be read",
    fix: "give a file of OTLP JSON lines, as a run writes with trace.backend=otel",
  },
  VERL_TRACING_BAD_OPTION: {
    summary: "A setting of traces or metrics cannot be used",
    fix: "correct the named key",
  },
});
