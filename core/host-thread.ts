import { Worker } from "node:worker_threads";
import type { Host } from "./create-host.js";
import {
  type Channel,
  greetWorker,
  joinDeadlineMs,
  offerOf,
  pluginErrors,
  type RpcClient,
  rpcClient,
  withDeadline,
  workerChannel,
} from "./host/index.js";

/** For what a thread does besides loading modules. */
const SLACK_MS = 2000;

/** A thread of the run that has loaded the driver's plugins. */
export interface HostThread {
  readonly worker: Worker;
  readonly channel: Channel;
  readonly rpc: RpcClient;
  stop(): Promise<void>;
}

export interface HostThreadOptions {
  /** The module that it runs. */
  readonly main: URL;
  readonly role: Parameters<typeof offerOf>[1]["role"];
  /** Among those of its role, from 0. */
  readonly index: number;
  /** For messages. */
  readonly name: string;
  /** What it loads of the user's, for messages. */
  readonly modules: readonly string[];
  /** The error of calls to a thread that is gone. */
  readonly lost: (how: string) => Error;
  /** Before it is greeted: what it may ask of this side. */
  readonly serve?: (channel: Channel) => void;
  /** The first that it is asked. */
  readonly open: (rpc: RpcClient) => Promise<void>;
}

/** Starts a thread that keeps no process alive; it is stopped where something fails on the way. */
export async function startHostThread(
  host: Host,
  { main, role, index, name, modules, lost, serve, open }: HostThreadOptions,
): Promise<HostThread> {
  const worker = new Worker(main, { name, stdout: true });
  // Standard output belongs to results. No pipe: each would add its listeners to standard error.
  worker.stdout.on("data", (piece) => process.stderr.write(piece));
  const channel = workerChannel(worker);
  const rpc = rpcClient(channel, name, lost);
  serve?.(channel);
  const stop = async () => void (await worker.terminate());
  try {
    await greetWorker(channel, offerOf(host, { cwd: host.cwd, role, rank: index }), joinDeadlineMs(host));
    const openMs = 2 * host.loadDeadlineMs + SLACK_MS;
    await withDeadline(open(rpc), openMs, () => blocked(name, modules, openMs));
  } catch (error) {
    await stop();
    throw error;
  }
  worker.unref();
  return { worker, channel, rpc, stop };
}

/** An import that waits is told by the thread itself; one that computes for ever leaves it no time to. */
function blocked(name: string, modules: readonly string[], deadlineMs: number): Error {
  return pluginErrors.VERL_USER_TIMEOUT({
    what: `${name} did not load its modules within ${deadlineMs / 1000} s.`,
    where: modules.join(", ") || undefined,
    why: "One of them blocks the thread while it is imported: a loop that never ends, or a call that waits.",
  });
}
