import type { Host } from "./create-host.js";
import { type EngineCreation, engineErrors, type RankProcesses, RemoteReplicas } from "./engine/index.js";
import {
  type Channel,
  greetWorker,
  joinDeadlineMs,
  offerOf,
  type RpcClient,
  rpcClient,
  startWorkerProcess,
} from "./host/index.js";
import { deviceEnv, type Platform } from "./platform/index.js";

export interface RankProcessesOptions {
  /** Rank 0, which is this process, included. */
  readonly ranks: number;
  readonly platform: Platform;
  /** Module that calls `runRankProcess`. */
  readonly main: URL;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Starts the processes of ranks 1, 2, …: each loads the driver's plugins and sees one device. */
export async function startRankProcesses(host: Host, options: RankProcessesOptions): Promise<RankProcesses> {
  const { ranks, platform, main, env } = options;
  const lost = new AbortController();
  const envs = await deviceEnv(platform, env, ranks);
  const processes = envs.slice(1).map((mask, i) => startRank(main, { ...env, ...mask }, i + 1, lost));
  const engines: RemoteReplicas[] = [];
  const dispose = async () => {
    for (const { leave } of processes) leave();
    await Promise.all(engines.map((replicas) => replicas.close()));
    await Promise.all(processes.map((rank) => rank.stop()));
  };
  try {
    const place = { cwd: host.cwd, role: "trainer" } as const;
    await Promise.all(
      processes.map(({ channel }, i) =>
        greetWorker(channel, offerOf(host, { ...place, rank: i + 1 }), joinDeadlineMs(host)),
      ),
    );
  } catch (error) {
    await dispose();
    throw error;
  }
  return {
    ranks,
    lost: lost.signal,
    dispose,
    async createReplicas(creation) {
      const engine = engines.length;
      const replicas = new RemoteReplicas(
        processes.map(({ rpc }) => rpc),
        engine,
      );
      engines.push(replicas);
      await Promise.all(
        processes.map(({ rpc }, i) => {
          const topology = { rank: i + 1, size: ranks, isOutputSource: false };
          return rpc.call("create", { engine, creation: withTopology(creation, topology) });
        }),
      );
      return replicas;
    },
  };
}

interface RankProcess {
  readonly channel: Channel;
  readonly rpc: RpcClient;
  /** From now on its end is expected. */
  leave(): void;
  stop(): Promise<void>;
}

function startRank(main: URL, env: RankProcessesOptions["env"], rank: number, lost: AbortController): RankProcess {
  const worker = startWorkerProcess(main, env);
  let leaving = false;
  const lostError = (how: string) =>
    engineErrors.VERL_ENGINE_RANK_LOST({
      what: `the training process of rank ${rank} (pid ${worker.pid ?? "none"}) is gone: ${how}`,
      why: how.includes("SIGKILL")
        ? "The operating system ends processes with SIGKILL when memory runs out, unless somebody else did."
        : undefined,
      data: { rank, pid: worker.pid, how },
    });
  worker.channel.onClose((how) => {
    if (!leaving) lost.abort(lostError(how));
  });
  return {
    channel: worker.channel,
    rpc: rpcClient(worker.channel, `rank ${rank}`, lostError),
    leave: () => {
      leaving = true;
    },
    stop: () => worker.stop(),
  };
}

function withTopology(creation: EngineCreation, topology: EngineCreation["options"]["topology"]): EngineCreation {
  return { ...creation, options: { ...creation.options, topology } };
}
