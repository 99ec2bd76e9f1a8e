import type { Host } from "./create-host.js";
import { startHostThread } from "./host-thread.js";
import { cannotLoad, type RewardWorker, type WorkerTask, workerLost } from "./reward/index.js";

/**
 * Starts a thread that scores with the user's function or the registered scorers: it loads the driver's plugins, then the
 * function. `main` is a module that calls `runRewardWorker`.
 */
export async function startRewardWorker(
  host: Host,
  { main, index, task }: { readonly main: URL; readonly index: number; readonly task: Omit<WorkerTask, "name"> },
): Promise<RewardWorker> {
  const name = `reward worker ${index + 1}`;
  const { rpc, stop } = await startHostThread(host, {
    ...{ main, index, name, role: "reward" },
    lost: (how) => workerLost(name, how),
    open: (rpc) =>
      rpc.call<void>("open", { ...task, name }).catch((error: unknown) => {
        throw cannotLoad(name, task.source?.path ?? null, error);
      }),
  });
  return { name, stop, score: (job) => rpc.call("score", job) };
}
