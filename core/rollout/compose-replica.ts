import { randomUUID } from "node:crypto";
import type { NamedTensor } from "../data/batch/tensor.js";
import type { CallOptions } from "../host/types.js";
import { rolloutErrors } from "./errors.js";
import type { ReplicaBackend } from "./replica-backend.js";
import { aborted, ReplicaGate } from "./replica-gate.js";
import { checkRequest } from "./request.js";
import type {
  GenerateRequest,
  MemoryTag,
  RolloutOptions,
  RolloutReplica,
  ServerAdapter,
  TokenOutput,
  WeightUpdate,
} from "./rollout.js";

const ALL: readonly MemoryTag[] = ["weights", "kv_cache"];

/** A replica that takes weights directly, in the same process. */
export interface WeightReceiver extends RolloutReplica {
  /** Drain the stream, then switch atomically; an error leaves the old weights in use. */
  receiveWeights(weights: AsyncIterable<NamedTensor>, update: WeightUpdate): Promise<void>;
}

/** Make a replica of a backend: everything about requests and memory that does not depend on how tokens are computed. */
export function composeReplica(
  backend: ReplicaBackend,
  options: Pick<RolloutOptions, "replicaRank" | "maxModelLen" | "responseLength" | "createDecoder"> & { name: string },
): WeightReceiver {
  return new ComposedReplica(backend, options);
}

/** The adapter of a composed replica: hands the trainer's stream to it. */
export function composeServerAdapter(replica: RolloutReplica): ServerAdapter {
  const receiver = replica as Partial<WeightReceiver>;
  if (typeof receiver.receiveWeights !== "function") {
    throw rolloutErrors.VERL_ROLLOUT_WRONG_ADAPTER({
      what: `The replica at ${replica.address} does not take weights from this adapter`,
    });
  }
  const { receiveWeights } = receiver;
  return {
    resume: (tags) => replica.wakeUp(tags),
    updateWeights: (weights, update) => receiveWeights.call(replica, weights, update),
    release: () => replica.sleep(2),
  };
}

class ComposedReplica implements WeightReceiver {
  readonly replicaRank: number;
  private readonly gate = new ReplicaGate();
  private readonly requests = new Set<AbortController>();
  /** Calls that move memory or weights, one after the other. */
  private control: Promise<unknown> = Promise.resolve();
  private url: string | null = null;
  private disposed = false;

  constructor(
    private readonly backend: ReplicaBackend,
    private readonly options: Parameters<typeof composeReplica>[1],
  ) {
    this.replicaRank = options.replicaRank;
  }

  get address(): string {
    return this.url ?? `${this.options.name}:${this.replicaRank}/not-launched`;
  }

  get capabilities() {
    return this.backend.capabilities;
  }

  get weightVersion(): number {
    return this.backend.weightVersion;
  }

  get inFlight(): number {
    return this.gate.inFlight;
  }

  async launch(options?: CallOptions): Promise<void> {
    if (this.url !== null) return;
    await this.backend.launch(options);
    this.url = `${this.options.name}:${this.replicaRank}/${randomUUID()}`;
  }

  async generate(request: GenerateRequest, { signal }: CallOptions = {}): Promise<TokenOutput> {
    this.mustBeLive();
    const { vocabSize, capabilities } = this.backend;
    const { maxTokens } = checkRequest(request, { ...this.options, vocabSize, mediaKinds: capabilities.media });
    const controller = new AbortController();
    const abort = (): void => controller.abort(signal?.reason);
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort, { once: true });
    this.requests.add(controller);
    try {
      if (!(await this.gate.enter(controller))) return this.nothingDrawn(request);
      try {
        if (!this.backend.hasWeights) {
          throw rolloutErrors.VERL_ROLLOUT_NO_WEIGHTS({ what: `${this.address} holds no weights` });
        }
        return await this.backend.generate({ ...request, maxTokens }, controller.signal);
      } finally {
        this.gate.leave(controller);
      }
    } finally {
      this.requests.delete(controller);
      signal?.removeEventListener("abort", abort);
    }
  }

  async abortAll(): Promise<void> {
    this.gate.pause();
    this.gate.abortInside();
    await this.gate.idle();
  }

  async resumeGeneration(): Promise<void> {
    this.gate.resume();
  }

  async sleep(level: 1 | 2 = 1): Promise<void> {
    await this.release(level === 2 ? ALL : ["kv_cache"]);
  }

  async wakeUp(tags: readonly MemoryTag[] = ALL): Promise<void> {
    await this.exclusively(async () => {
      const wanted = tags.filter((tag) => this.gate.released.has(tag));
      if (wanted.length === 0) return;
      await this.backend.acquire(wanted);
      this.gate.open(wanted);
    });
  }

  async clearKvCache(): Promise<void> {
    await this.backend.clearKvCache();
  }

  async releaseKvCache(): Promise<void> {
    await this.release(["kv_cache"]);
  }

  async resumeKvCache(): Promise<void> {
    await this.wakeUp(["kv_cache"]);
  }

  async setWeightVersion(version: number): Promise<void> {
    this.backend.weightVersion = version;
  }

  async receiveWeights(weights: AsyncIterable<NamedTensor>, update: WeightUpdate): Promise<void> {
    const { backend } = this;
    if (!backend.updateWeights) {
      throw rolloutErrors.VERL_ROLLOUT_WRONG_ADAPTER({ what: `${this.address} does not take weights from an adapter` });
    }
    if (update.wireFormat === "delta_flush" && !this.capabilities.deltaWeights) {
      throw rolloutErrors.VERL_ROLLOUT_BAD_WEIGHTS({ what: `${this.address} does not take weights as deltas` });
    }
    await this.exclusively(async () => backend.updateWeights?.(weights, update));
  }

  async dispose(): Promise<void> {
    if (this.disposed) return;
    this.disposed = true;
    for (const request of this.requests) request.abort(aborted());
    await this.gate.idle();
    await this.control.catch(() => {});
    await this.backend.dispose();
  }

  private async release(tags: readonly MemoryTag[]): Promise<void> {
    await this.exclusively(async () => {
      const wanted = tags.filter((tag) => !this.gate.released.has(tag));
      await this.gate.close(wanted);
      if (wanted.length > 0) await this.backend.release(wanted);
    });
  }

  private async exclusively(body: () => Promise<void>): Promise<void> {
    this.mustBeLive();
    const turn = this.control.catch(() => {}).then(body);
    this.control = turn;
    await turn;
  }

  private nothingDrawn({ sampling }: GenerateRequest): TokenOutput {
    return {
      tokenIds: [],
      ...(sampling.logProbs ? { logProbs: [], sampledLogProbs: [] } : {}),
      stopReason: "aborted",
      minWeightVersion: this.weightVersion,
      maxWeightVersion: this.weightVersion,
    };
  }

  private mustBeLive(): void {
    if (this.url !== null && !this.disposed) return;
    throw rolloutErrors.VERL_ROLLOUT_DISPOSED({
      what: `${this.address} ${this.disposed ? "has been disposed" : "has not been launched"}`,
    });
  }
}
