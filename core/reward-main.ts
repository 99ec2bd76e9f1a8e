import { type Channel, parentChannel, serveRpc } from "./host/index.js";
import { workerMethods } from "./reward/index.js";
import { createWorkerHost, type WorkerHostOptions } from "./worker-host.js";

/** The whole life of a reward worker's thread. The driver ends it. */
export async function runRewardWorker(
  options: WorkerHostOptions = {},
  channel: Channel = parentChannel(),
): Promise<void> {
  const host = await createWorkerHost(options, channel);
  const scorers = host.registries.scorers.items().map(({ item }) => item);
  const methods = workerMethods({ loadUserModule: host.loadUserModule, scorers });
  serveRpc(channel, methods, "VERL_REWARD_FAILED");
}
