import http from "node:http";
import { listenOn, whyNotListening } from "../../../core/host/index.js";
import { tracingErrors } from "../../../core/tracing/index.js";

/** Names of this machine: a page elsewhere that gives its own name this address is not answered. */
const OWN_NAMES = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/;

export interface MetricsServer {
  /** `127.0.0.1:PORT`. */
  readonly address: string;
  close(): Promise<void>;
}

/** Answers `GET /metrics` on the loopback interface, and nothing else. It keeps no process alive. */
export async function serveMetrics(
  port: number,
  source: { readonly contentType: string; metrics(): Promise<string> },
): Promise<MetricsServer> {
  const server = http.createServer(async (request, response) => {
    const refuse = (status: number) => void response.writeHead(status, { "content-type": "text/plain" }).end();
    if (!OWN_NAMES.test(request.headers.host ?? "")) return refuse(403);
    if (request.url !== "/metrics") return refuse(404);
    if (request.method !== "GET" && request.method !== "HEAD") return refuse(405);
    try {
      const text = await source.metrics();
      response.writeHead(200, { "content-type": source.contentType });
      response.end(request.method === "HEAD" ? "" : text);
    } catch {
      refuse(500);
    }
  });
  const place = { port, host: "127.0.0.1" };
  const taken = await listenOn(server, place).catch((cause: unknown) => {
    const where = `${place.host}:${port} (actor_rollout_ref.rollout.prometheus.port)`;
    const why = whyNotListening(cause, place);
    throw tracingErrors.VERL_TRACING_LISTEN({ what: "metrics for Prometheus are not served", where, why, cause });
  });
  server.unref();
  return {
    address: `127.0.0.1:${taken}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A configuration by which Prometheus finds the run. */
export const scrapeConfig = (address: string): string =>
  [
    "global:",
    "  scrape_interval: 10s",
    "  evaluation_interval: 10s",
    "scrape_configs:",
    "  - job_name: rollout",
    "    static_configs:",
    `      - targets: ["${address}"]`,
    "",
  ].join("\n");
