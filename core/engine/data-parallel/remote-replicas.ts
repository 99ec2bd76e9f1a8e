import type { GlobalCounts, LossFunction, OutputName } from "../../algorithms/algebra.js";
import { recordLoss } from "../../algorithms/loss-program.js";
import type { SequenceBatch } from "../../data/batch/sequence-batch.js";
import type { CallOptions } from "../../host/types.js";
import type { RpcClient } from "../../host/workers/rpc.js";
import type { EngineBackend, FusedResult } from "../backend.js";
import type { AdapterChanges, ModelOutputs } from "../engine.js";
import { onEveryRank } from "./every-rank.js";
import { makeExchangeFile, NumberFile } from "./exchange-file.js";
import type { RankCalls } from "./rank-calls.js";
import type { EngineReplica, ReplicaGroup } from "./replicas.js";

/** One engine's ranks 1, 2, … in processes of their own; gradients and parameters go through a file in memory. */
export class RemoteReplicas implements ReplicaGroup {
  readonly replicas: readonly RemoteReplica[];
  private exchange: NumberFile | null = null;

  /** `engine` is the number under which the processes know the engine. */
  constructor(ranks: readonly RpcClient[], engine: number) {
    this.replicas = ranks.map((rank) => new RemoteReplica(rank, engine));
  }

  async reduceGradients(first: EngineBackend, options?: CallOptions): Promise<void> {
    const file = await this.exchangeWith(first);
    const start = (r: number) => r * exchangedNumbers(first);
    await onEveryRank(this.replicas, options?.signal, (replica, r, signal) =>
      replica.call("sendGradients", { start: start(r) }, { signal }),
    );
    for (const r of this.replicas.keys()) await first.addGradients?.(file.reader(start(r)), options);
  }

  async broadcastParameters(first: EngineBackend): Promise<void> {
    const file = await this.exchangeWith(first);
    await file.write(0, first.trainedTensors?.() ?? first.parameters());
    await onEveryRank(this.replicas, undefined, (replica) => replica.call("receiveParameters", {}));
  }

  async close(): Promise<void> {
    await this.exchange?.close();
    this.exchange = null;
  }

  /** Each replica has a place of its own for gradients; parameters use the first of them. */
  private async exchangeWith(first: EngineBackend): Promise<NumberFile> {
    if (this.exchange) return this.exchange;
    await makeExchangeFile(this.replicas.length * exchangedNumbers(first), async (file) => {
      await onEveryRank(this.replicas, undefined, (replica) => replica.call("openExchange", { file }));
      this.exchange = await NumberFile.open(file);
    });
    return this.exchange as unknown as NumberFile;
  }
}

function exchangedNumbers(first: EngineBackend): number {
  const { parameters, trainedParameters } = first.modelInfo();
  return trainedParameters || parameters;
}

class RemoteReplica implements EngineReplica {
  readonly adapters: AdapterChanges = {
    add: (name, source) => this.call("addAdapter", { name, source }),
    use: (name) => this.call("useAdapter", { name }),
    remove: (name) => this.call("removeAdapter", { name }),
    enable: (on) => this.call("enableAdapters", { on }),
  };

  constructor(
    private readonly rank: RpcClient,
    private readonly engine: number,
  ) {}

  call<C extends keyof RankCalls>(
    name: C,
    args: Parameters<RankCalls[C]>[0],
    options?: CallOptions,
  ): ReturnType<RankCalls[C]> {
    return this.rank.call(name, { engine: this.engine, ...args }, options) as ReturnType<RankCalls[C]>;
  }

  load(options?: CallOptions): Promise<void> {
    return this.call("load", {}, options);
  }

  forward(batch: SequenceBatch, outputs: readonly OutputName[], options?: CallOptions): Promise<ModelOutputs> {
    return this.call("forward", { batch, outputs }, options);
  }

  backward(batch: SequenceBatch, gradients: ModelOutputs, options?: CallOptions): Promise<void> {
    return this.call("backward", { batch, gradients }, options);
  }

  fused(
    batch: SequenceBatch,
    loss: LossFunction,
    counts: GlobalCounts,
    options?: CallOptions,
  ): Promise<FusedResult | null> {
    return this.call("fused", { batch, loss: recordLoss(loss, batch.columns), counts }, options);
  }

  zeroGrad(): Promise<void> {
    return this.call("zeroGrad", {});
  }

  /** A rank that is lost has nothing left to dispose of. */
  async dispose(): Promise<void> {
    await this.call("dispose", {}).catch(() => {});
  }
}
