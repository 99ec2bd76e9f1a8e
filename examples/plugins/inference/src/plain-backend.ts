import {
  type CheckedRequest,
  composeReplica,
  GrowingResponse,
  type MemoryTag,
  type NamedTensor,
  type ReplicaBackend,
  type RolloutCapabilities,
  type RolloutOptions,
  type RolloutReplica,
  rolloutErrors,
  type TokenOutput,
  TokenSampler,
  type WeightUpdate,
} from "verl-ts/plugin";
import { appendToken, emptyCache, nextTokenLogits } from "./llama.js";
import { type ModelShape, readModelShape } from "./model-shape.js";
import { collectWeights, type Weights } from "./weights.js";

/** `composeReplica` adds what every server does alike: checks, pausing, sleeping, aborting, addresses. */
export function createPlainReplica(options: RolloutOptions): RolloutReplica {
  return composeReplica(new PlainBackend(options), { ...options, name: "plainjs" });
}

export const CAPABILITIES: RolloutCapabilities = {
  sleepLevels: [1, 2],
  adapters: false,
  deltaWeights: false,
  priority: false,
  http: false,
  logProbs: true,
};

/** Serves a Llama on the JavaScript thread, one token of one request at a time. Weights always come from the trainer. */
class PlainBackend implements ReplicaBackend {
  readonly capabilities = CAPABILITIES;
  weightVersion = -1;
  private shape: ModelShape | null = null;
  private sampler: TokenSampler | null = null;
  private weights: Weights | null = null;

  constructor(private readonly options: RolloutOptions) {}

  get vocabSize(): number {
    return this.shape?.vocabSize ?? 0;
  }

  get hasWeights(): boolean {
    return this.weights !== null;
  }

  async launch(): Promise<void> {
    const shape = await readModelShape(this.options.model);
    if (this.options.maxModelLen > shape.maxPositions) {
      throw rolloutErrors.VERL_ROLLOUT_BAD_OPTION({
        what: `max_model_len is ${this.options.maxModelLen}; the model has ${shape.maxPositions} positions`,
      });
    }
    this.shape = shape;
    this.sampler = new TokenSampler(shape.vocabSize);
  }

  async generate(request: CheckedRequest, signal: AbortSignal): Promise<TokenOutput> {
    const response = new GrowingResponse(request, this.options);
    const { shape, sampler } = this;
    if (!shape || !sampler) throw new Error("generate before launch");
    const cache = emptyCache(shape);
    let pending = [...request.promptIds];
    for (;;) {
      let hidden: Float64Array = new Float64Array();
      for (const token of pending) {
        // Between two tokens others get their turn: other requests, timers, an abort.
        await new Promise<void>((resolve) => setImmediate(resolve));
        if (signal.aborted) return response.output("aborted", this.weightVersion);
        hidden = appendToken(shape, this.current(), cache, token);
      }
      const ended = response.draw(nextTokenLogits(shape, this.current(), hidden), sampler, this.weightVersion);
      if (ended) return response.output(ended, this.weightVersion);
      pending = response.tokenIds.slice(-1);
    }
  }

  release(tags: readonly MemoryTag[]): void {
    // A cache lives as long as its request, so there is none to free.
    if (!tags.includes("weights")) return;
    this.weights = null;
    this.weightVersion = -1;
  }

  acquire(): void {}

  clearKvCache(): void {}

  async updateWeights(stream: AsyncIterable<NamedTensor>, { version }: WeightUpdate): Promise<void> {
    if (!this.shape) throw new Error("weights before launch");
    this.weights = await collectWeights(this.shape, stream);
    this.weightVersion = version;
  }

  dispose(): void {
    this.weights = null;
  }

  private current(): Weights {
    if (!this.weights) throw new Error("the weights were released under a request");
    return this.weights;
  }
}
