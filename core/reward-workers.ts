import { Worker } from "node:worker_threads";
import type { Host } from "./create-host.js";
import { greetWorker, offerOf, rpcClient, workerChannel } from "./host/index.js";
import { cannotLoad, type RewardWorker, type WorkerTask, workerLost } from "./reward/index.js";

/** Longest time that a thread may take to load its plugins. */
const JOIN_MS = 60_000;

/**
 * Starts a thread that scores with the user's function or the registered scorers: it loads the driver's plugins, then the
 * function. `main` is a module that calls `runRewardWorker`.
 */
export async function startRewardWorker(
  host: Host,
  { main, index, task }: { readonly main: URL; readonly index: number; readonly task: Omit<WorkerTask, "name"> },
): Promise<RewardWorker> {
  const name = `reward worker ${index + 1}`;
  const worker = new Worker(main, { name, stdout: true });
  // Standard output belongs to results.
  worker.stdout.pipe(process.stderr, { end: false });
  const channel = workerChannel(worker);
  const rpc = rpcClient(channel, name, (how) => workerLost(name, how));
  const stop = async () => void (await worker.terminate());
  try {
    await greetWorker(channel, offerOf(host, { cwd: host.cwd, role: "reward", rank: index }), JOIN_MS);
    await rpc.call("open", { ...task, name }).catch((error: unknown) => {
      throw cannotLoad(name, task.source?.path ?? null, error);
    });
  } catch (error) {
    await stop();
    throw error;
  }
  // It must not keep a process alive that has nothing else to do.
  worker.unref();
  return { name, stop, score: (job) => rpc.call("score", job) };
}
