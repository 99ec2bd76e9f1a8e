import { type DiagnoseOptions, type Diagnosis, reach, type TracerOptions } from "../../../core/plugin.js";
import { tracesUrl } from "./http-exporter.js";

const KEY = "actor_rollout_ref.rollout.trace";
/** An export without spans, as OTLP allows it. */
const NO_SPANS = JSON.stringify({ resourceSpans: [] });

/** Whether the collector takes spans: it is handed none. */
export async function diagnoseCollector(
  { endpoint, headers }: Pick<TracerOptions["trace"], "endpoint" | "headers">,
  { timeoutMs }: Pick<DiagnoseOptions, "timeoutMs">,
): Promise<Diagnosis[]> {
  if (endpoint === null) return [];
  const url = tracesUrl(endpoint);
  if (typeof url === "string") {
    const fix = `correct ${KEY}.endpoint`;
    return [{ name: "trace collector", status: "failed", detail: `its address cannot be used: ${url}`, fix }];
  }
  const name = `trace collector ${url.host}`;
  const sent = Object.fromEntries(Object.entries(headers).map(([key, value]) => [key, String(value)]));
  const answer = await reach(url, {
    method: "POST",
    headers: { ...sent, "content-type": "application/json" },
    body: NO_SPANS,
    timeoutMs,
  });
  // A run goes on without its collector.
  const lost = (detail: string, fix: string): Diagnosis => ({ name, status: "warning", detail, fix });
  if (!answer.answered) {
    return [lost(`${answer.why}; spans would be lost`, `start the collector, or correct ${KEY}.endpoint`)];
  }
  const { status, skewMs } = answer;
  const clock = skewMs === undefined ? {} : { skewMs };
  if (status < 300) return [{ name, status: "ok", detail: `takes spans at ${url.pathname}`, ...clock }];
  const refused = status === 401 || status === 403;
  const fix = refused ? `see ${KEY}.headers` : `see that ${KEY}.endpoint names an OTLP/HTTP receiver of traces`;
  return [{ ...lost(`answers a POST to ${url.pathname} with ${status}; spans would be lost`, fix), ...clock }];
}
