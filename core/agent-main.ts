import { agentErrors, threadMethods } from "./agent/index.js";
import { type Channel, parentChannel, rpcClient, serveRpc } from "./host/index.js";
import { createWorkerHost, type WorkerHostOptions } from "./worker-host.js";

/** The whole life of a thread that runs agent loops. The driver ends it. */
export async function runAgentThread(
  options: WorkerHostOptions = {},
  channel: Channel = parentChannel(),
): Promise<void> {
  const { loadUserModule, registries } = await createWorkerHost(options, channel);
  const gone = (how: string) => agentErrors.VERL_AGENT_CANCELLED({ what: `the driver is gone: ${how}` });
  const driver = rpcClient(channel, "the driver", gone);
  const findToolParser = (name: string) => registries.toolParsers.require(name);
  const findTracer = (name: string) => registries.tracers.require(name);
  serveRpc(channel, threadMethods({ loadUserModule, findToolParser, findTracer }, driver), "VERL_AGENT_THREAD_FAILED");
}
