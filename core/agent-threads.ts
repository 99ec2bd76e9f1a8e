import { Worker } from "node:worker_threads";
import { type AgentThread, agentErrors, type ThreadTask } from "./agent/index.js";
import type { Host } from "./create-host.js";
import { greetWorker, offerOf, type RpcMethods, rpcClient, serveRpc, workerChannel } from "./host/index.js";

/** Longest time that a thread may take to load its plugins. */
const JOIN_MS = 60_000;

export interface AgentThreadOptions {
  /** Module that calls `runAgentThread`. */
  readonly main: URL;
  readonly index: number;
  readonly task: Omit<ThreadTask, "name">;
  /** What the thread may ask of this side. */
  readonly methods: RpcMethods;
}

/** Starts a thread that runs agent loops: it loads the driver's plugins, then tokenizer and loops. */
export async function startAgentThread(
  host: Host,
  { main, index, task, methods }: AgentThreadOptions,
): Promise<AgentThread> {
  const name = `agent thread ${index + 1}`;
  const worker = new Worker(main, { name, stdout: true });
  // Standard output belongs to results.
  worker.stdout.on("data", (piece) => process.stderr.write(piece));
  const channel = workerChannel(worker);
  const lost = (how: string) => agentErrors.VERL_AGENT_THREAD_LOST({ what: `${name} is gone: ${how}` });
  const rpc = rpcClient(channel, name, lost);
  serveRpc(channel, methods, "VERL_AGENT_THREAD_FAILED");
  const stop = async () => void (await worker.terminate());
  try {
    await greetWorker(channel, offerOf(host, { cwd: host.cwd, role: "agent", rank: index }), JOIN_MS);
    await rpc.call("open", { ...task, name } satisfies ThreadTask);
  } catch (error) {
    await stop();
    throw error;
  }
  // Idle, it must not keep a process alive that has nothing else to do.
  worker.unref();
  let running = 0;
  return {
    name,
    stop,
    onLost: (listener) => void channel.onClose(listener),
    async run(session, options) {
      if (running++ === 0) worker.ref();
      try {
        return await rpc.call("run", session, options);
      } finally {
        if (--running === 0) worker.unref();
      }
    },
  };
}
