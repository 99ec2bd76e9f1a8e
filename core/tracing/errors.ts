import { defineErrors } from "../host/errors.js";

export const tracingErrors = defineErrors({
  VERL_TRACING_BAD_FILE: {
    summary: "A file of spans cannot be read",
    fix: "give a file of OTLP JSON lines, as a run writes with trace.backend=otel",
  },
  VERL_TRACING_LISTEN: {
    summary: "The port for Prometheus cannot be had; the run goes on without metrics for it",
    fix: "end what has the port, set actor_rollout_ref.rollout.prometheus.port to another one, or to 0 for any that is free",
  },
  VERL_TRACING_BAD_OPTION: {
    summary: "A setting of traces or metrics cannot be used",
    fix: "correct the named key",
  },
});
