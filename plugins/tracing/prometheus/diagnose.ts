import { createServer } from "node:net";
import { type Diagnosis, reasonOf, type TracerOptions } from "../../../core/plugin.js";

/** Whether the port of the metrics is free, which is let go again at once. */
export async function diagnosePort({ port }: TracerOptions["prometheus"]): Promise<Diagnosis[]> {
  if (port === 0) return [];
  const name = `metrics port ${port}`;
  const probe = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      probe.once("error", reject);
      probe.listen(port, "127.0.0.1", resolve);
    });
    await new Promise((resolve) => probe.close(resolve));
    return [{ name, status: "ok", detail: "free" }];
  } catch (error) {
    const taken = (error as NodeJS.ErrnoException).code === "EADDRINUSE";
    const detail = taken ? "somebody else listens there; the run would go on without metrics" : reasonOf(error);
    const fix = "set actor_rollout_ref.rollout.prometheus.port to another one, or to 0 for any";
    return [{ name, status: "warning", detail, fix }];
  }
}
