import { definePlugin, type TracerFactory } from "../../core/plugin.js";

/** Spans by OpenTelemetry: `rollout.trace.backend=otel`. */
export const otelTracer: TracerFactory = {
  name: "otel",
  create: async (options) => new (await import("./otel/otel-tracer.js")).OtelTracer(options),
  joinThread: async () => (await import("./otel/thread-bridge.js")).bridgeThread(),
  diagnose: async ({ trace, timeoutMs }) =>
    (await import("./otel/diagnose.js")).diagnoseCollector(trace, { timeoutMs }),
};

/** Metrics while the run goes on: `rollout.prometheus.enable`. */
export const prometheusTracer: TracerFactory = {
  name: "prometheus",
  create: async (options) => (await import("./prometheus/open-prometheus.js")).openPrometheus(options),
  diagnose: async ({ prometheus }) => (await import("./prometheus/diagnose.js")).diagnosePort(prometheus),
};

/** What tells others what a run does. Its libraries are loaded where a run asks for them. */
export const tracingPlugin = definePlugin({
  name: "verl-ts/tracing",
  apiVersion: "^1.0.0",
  provides: ["tracer"],
  register(host) {
    host.tracers.register(otelTracer);
    host.tracers.register(prometheusTracer);
  },
});
