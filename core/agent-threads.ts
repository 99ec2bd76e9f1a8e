import { type AgentThread, agentErrors, type ThreadTask } from "./agent/index.js";
import type { Host } from "./create-host.js";
import { type RpcMethods, serveRpc } from "./host/index.js";
import { startHostThread } from "./host-thread.js";

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
  const { worker, channel, rpc, stop } = await startHostThread(host, {
    ...{ main, index, name, role: "agent" },
    modules: task.loops.map(({ module }) => module),
    lost: (how) => agentErrors.VERL_AGENT_THREAD_LOST({ what: `${name} is gone: ${how}` }),
    serve: (channel) => serveRpc(channel, methods, "VERL_AGENT_THREAD_FAILED"),
    open: (rpc) => rpc.call("open", { ...task, name } satisfies ThreadTask),
  });
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
