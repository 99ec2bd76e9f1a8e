import { type Channel, parentChannel, rpcClient, serveRpc } from "./host/index.js";
import type { CallOptions } from "./host/types.js";
import { type WorkerMedium, type WorkerSpan, workerLost, workerMethods } from "./reward/index.js";
import { createWorkerHost, type WorkerHostOptions } from "./worker-host.js";

/** The whole life of a reward worker's thread. The driver ends it. */
export async function runRewardWorker(
  options: WorkerHostOptions = {},
  channel: Channel = parentChannel(),
): Promise<void> {
  const host = await createWorkerHost(options, channel);
  const { loadUserModule, registries } = host;
  const scorers = registries.scorers.items().map(({ item }) => item);
  const findTracer = (name: string) => registries.tracers.require(name);
  const driver = rpcClient(channel, "the driver", (how) => workerLost("the driver", how));
  // Nobody waits for it.
  const tell = (span: WorkerSpan) => void driver.call("span", span).catch(() => {});
  const bytes = (medium: WorkerMedium, options?: CallOptions) => driver.call<Uint8Array>("mediaBytes", medium, options);
  const methods = workerMethods({ loadUserModule, scorers, findTracer }, { tell, bytes });
  serveRpc(channel, methods, "VERL_REWARD_FAILED");
}
