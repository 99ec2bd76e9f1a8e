import path from "node:path";
import { makeFolder } from "../../../core/host/index.js";
import { isVerlError, reasonOf, type Tracer, type TracerOptions } from "../../../core/plugin.js";
import { replaceFile } from "../../../core/tracking/index.js";
import { type MetricsServer, scrapeConfig, serveMetrics } from "./metrics-server.js";
import { PrometheusTracer } from "./prometheus-tracer.js";

/** Metrics that are served while the run goes on. A port that is taken, or a file that cannot be written, is a warning. */
export async function openPrometheus({ prometheus, cwd, logger }: TracerOptions): Promise<Tracer> {
  const model = prometheus.servedModelName?.split(/[\\/]/).findLast((part) => part !== "");
  const tracer = new PrometheusTracer(model === undefined ? {} : { model_name: model });
  let server: MetricsServer | null = null;
  try {
    server = await serveMetrics(prometheus.port, tracer);
    logger.info(`metrics: http://${server.address}/metrics`);
    if (prometheus.file !== null) {
      const file = path.resolve(cwd, prometheus.file);
      await makeFolder(path.dirname(file));
      // In one go: Prometheus may read it at any time.
      await replaceFile(file, scrapeConfig(server.address));
    }
  } catch (error) {
    logger.warn(isVerlError(error) ? error.message : `metrics for Prometheus are not served: ${reasonOf(error)}`);
  }
  return {
    wantsText: false,
    promptsPerWorker: null,
    span: (start, work) => tracer.span(start, work),
    observe: (read) => tracer.observe(read),
    async finish() {
      await server?.close();
      await tracer.finish();
    },
  };
}
