import {
  type CheckedRequest,
  composeReplica,
  GrowingResponse,
  type MemoryTag,
  type NamedTensor,
  type ReplicaBackend,
  type RolloutOptions,
  type RolloutReplica,
  rolloutErrors,
  type TokenOutput,
  TokenSampler,
  type WeightUpdate,
} from "verl-ts/plugin";

/** `composeReplica` adds what every server does alike: checks, pausing, sleeping, aborting. */
export function createReplica(options: RolloutOptions): RolloutReplica {
  return composeReplica(new TableBackend(options), { ...options, name: "__SHORT__" });
}

/**
 * Serves a table: the logits of the next token are the row of the last one, `[V, V]`. Put your model in its place; a Llama in
 * plain TypeScript is in examples/plugins/inference of the repository of verl-ts.
 */
class TableBackend implements ReplicaBackend {
  readonly capabilities = {
    sleepLevels: [1, 2],
    adapters: false,
    deltaWeights: false,
    priority: false,
    http: false,
    logProbs: true,
  } as const;
  readonly vocabSize: number;
  /** −1 while there are no weights. */
  weightVersion = -1;
  private table: Float32Array | null = null;
  private readonly sampler: TokenSampler;

  constructor(private readonly options: RolloutOptions) {
    const { model } = options;
    if (!("config" in model)) throw new TypeError("this backend serves tables, not models on disk");
    this.vocabSize = Number(model.config.vocab_size);
    this.sampler = new TokenSampler(this.vocabSize);
  }

  get hasWeights(): boolean {
    return this.table !== null;
  }

  launch(): void {}

  async generate(request: CheckedRequest, signal: AbortSignal): Promise<TokenOutput> {
    const response = new GrowingResponse(request, this.options);
    let last = request.promptIds[request.promptIds.length - 1];
    for (;;) {
      // Between two tokens others get their turn: other requests, timers, an abort.
      await new Promise<void>((resolve) => setImmediate(resolve));
      if (signal.aborted) return response.output("aborted", this.weightVersion);
      const logits = this.current().slice(last * this.vocabSize, (last + 1) * this.vocabSize);
      const ended = response.draw(logits, this.sampler, this.weightVersion);
      if (ended) return response.output(ended, this.weightVersion);
      last = response.tokenIds[response.tokenIds.length - 1];
    }
  }

  release(tags: readonly MemoryTag[]): void {
    if (!tags.includes("weights")) return;
    this.table = null;
    this.weightVersion = -1;
  }

  acquire(): void {}

  clearKvCache(): void {}

  /** Complete or not at all: a stream that breaks off leaves the old weights. */
  async updateWeights(stream: AsyncIterable<NamedTensor>, { version, signal }: WeightUpdate): Promise<void> {
    let table: Float32Array | null = null;
    for await (const { name, dtype, shape, data } of stream) {
      signal?.throwIfAborted();
      const fits = name === "table" && dtype === "f32" && shape.length === 2 && data.length === this.vocabSize ** 2;
      if (!fits || table) {
        throw rolloutErrors.VERL_ROLLOUT_BAD_WEIGHTS({
          what: `the tensor ${name} (${dtype}, [${shape}]) does not belong here`,
        });
      }
      table = Float32Array.from(data as Float32Array);
    }
    if (!table) throw rolloutErrors.VERL_ROLLOUT_BAD_WEIGHTS({ what: "the tensor table is missing" });
    this.table = table;
    this.weightVersion = version;
  }

  dispose(): void {
    this.table = null;
  }

  private current(): Float32Array {
    if (!this.table) throw new Error("the weights were released under a request");
    return this.table;
  }
}
