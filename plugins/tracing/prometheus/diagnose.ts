import { createServer } from "node:net";
import { listenOn, whyNotListening } from "../../../core/host/index.js";
import type { Diagnosis, TracerOptions } from "../../../core/plugin.js";

/** Whether the port of the metrics is free, which is let go again at once. */
export async function diagnosePort({ port }: TracerOptions["prometheus"]): Promise<Diagnosis[]> {
  if (port === 0) return [];
  const name = `metrics port ${port}`;
  const probe = createServer();
  const place = { port, host: "127.0.0.1" };
  try {
    await listenOn(probe, place);
    await new Promise((resolve) => probe.close(resolve));
    return [{ name, status: "ok", detail: "free" }];
  } catch (error) {
    const detail = `${whyNotListening(error, place)}; the run would go on without metrics`;
    const fix = "set actor_rollout_ref.rollout.prometheus.port to another one, or to 0 for any";
    return [{ name, status: "warning", detail, fix }];
  }
}
