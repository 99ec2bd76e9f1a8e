import { engineErrors, lookupEngine, RankServer } from "./engine/index.js";
import { type Channel, obeyDriver, parentChannel, serveRpc } from "./host/index.js";
import { createWorkerHost, type WorkerHostOptions } from "./worker-host.js";

/** The whole life of a further rank's process: loads the driver's plugins, serves its engines, leaves with it. */
export async function runRankProcess(
  options: WorkerHostOptions = {},
  channel: Channel = parentChannel(),
): Promise<void> {
  const cleanups: (() => Promise<void>)[] = [];
  obeyDriver(channel, async () => {
    for (const cleanup of cleanups.reverse()) await cleanup();
  });
  const host = await createWorkerHost(options, channel);
  cleanups.push(() => host.dispose());
  const server = new RankServer(async ({ request, env, platform, options }) => {
    const { registries } = await host.services({ platform });
    const { createBackend, backends } = lookupEngine(registries.engines, request, env);
    if (createBackend) return createBackend(options);
    throw engineErrors.VERL_ENGINE_ONE_PROCESS({ what: `the engine ${backends.join(" or ")} trains in one process` });
  });
  cleanups.push(() => server.dispose());
  serveRpc(channel, server.methods, "VERL_ENGINE_RANK_FAILED");
}
