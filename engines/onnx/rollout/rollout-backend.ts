import { type ModelConfig, openModel, parseModelConfig } from "../../../core/formats/index.js";
import {
  type CheckedRequest,
  type MemoryTag,
  type NamedTensor,
  type ReplicaBackend,
  type RolloutCapabilities,
  type RolloutOptions,
  rolloutErrors,
  type TokenOutput,
  type WeightUpdate,
} from "../../../core/plugin.js";
import { type OrtRuntime, type OrtSession, openOrtRuntime } from "../runtime/index.js";
import { Batcher } from "./batcher.js";
import { decodeGraph } from "./decode-graph.js";
import { kvCacheBytes } from "./kv-cache.js";
import { type OnnxRolloutOptions, parseOnnxOptions } from "./options.js";
import { plainAttention } from "./plain-attention.js";
import { PlainRunner } from "./plain-runner.js";
import { canShareCache, sharedCacheAttention } from "./shared-cache-attention.js";
import { SharedCacheRunner } from "./shared-cache-runner.js";
import type { TokenRunner } from "./token-runner.js";
import { type DecodeWeights, drainWeights } from "./weights.js";

/** What `launch` settles. */
interface Launched {
  readonly config: ModelConfig;
  readonly runtime: OrtRuntime;
  readonly attention: "shared" | "plain";
  readonly graph: Uint8Array;
}

/** A session with the weights in it, and the tensors that it refers to. */
interface LoadedModel {
  readonly session: OrtSession;
  /** Runs in flight finish first. */
  release(): Promise<void>;
}

/** Serves a model with the kernels of the ONNX engine, in this process. */
export class OnnxRolloutBackend implements ReplicaBackend {
  readonly capabilities: RolloutCapabilities = {
    sleepLevels: [1, 2],
    adapters: false,
    deltaWeights: false,
    priority: true,
    http: false,
    logProbs: true,
  };
  weightVersion = -1;
  private readonly extra: OnnxRolloutOptions;
  private launched: Launched | null = null;
  private model: LoadedModel | null = null;
  /** Model whose own weights serve until the first update; read when the first request needs them. */
  private ownWeights: string | null = null;
  private reading: Promise<void> | null = null;
  private serving: { readonly runner: TokenRunner; readonly batcher: Batcher } | null = null;

  constructor(private readonly options: RolloutOptions) {
    this.extra = parseOnnxOptions(options.extra);
  }

  get vocabSize(): number {
    return this.launched?.config.vocabSize ?? 0;
  }

  get hasWeights(): boolean {
    return this.model !== null || this.ownWeights !== null;
  }

  async launch(): Promise<void> {
    const { model } = this.options;
    const runtime = await openOrtRuntime({ kind: this.extra.runtime });
    if ("config" in model) {
      this.prepare(runtime, parseModelConfig(model.config));
    } else {
      const source = await openModel(model.path);
      await source.close();
      this.prepare(runtime, source.config);
      this.ownWeights = model.path;
    }
    this.acquire(["kv_cache"]);
  }

  async generate(request: CheckedRequest, signal: AbortSignal): Promise<TokenOutput> {
    if (this.model === null) {
      this.reading ??= this.readOwnWeights().finally(() => {
        this.reading = null;
      });
      await this.reading;
    }
    return mustHave(this.serving).batcher.generate(request, signal);
  }

  async release(tags: readonly MemoryTag[]): Promise<void> {
    const dropsWeights = tags.includes("weights");
    if (dropsWeights || !this.keepsCache()) {
      this.serving?.runner.release();
      this.serving = null;
    }
    if (dropsWeights) {
      await this.model?.release();
      this.model = null;
      this.ownWeights = null;
      this.weightVersion = -1;
    }
  }

  acquire(tags: readonly MemoryTag[]): void {
    if (!tags.includes("kv_cache") || this.serving) return;
    const { runtime, config, attention } = mustHave(this.launched);
    const { maxNumSeqs, maxModelLen, eosTokenIds, decode, threads } = this.options;
    const loaded = () => ({ session: mustHave(this.model).session, version: this.weightVersion });
    const runner =
      attention === "shared"
        ? new SharedCacheRunner(runtime, config, maxNumSeqs, maxModelLen, loaded)
        : new PlainRunner(runtime, config, maxNumSeqs, maxModelLen, threads, loaded);
    const { vocabSize } = config;
    const { maxPrefillTokens } = this.extra;
    this.serving = { runner, batcher: new Batcher(runner, { vocabSize, maxPrefillTokens, eosTokenIds, decode }) };
  }

  clearKvCache(): void {
    this.serving?.batcher.forgetPrompts();
  }

  async updateWeights(stream: AsyncIterable<NamedTensor>, { version, signal }: WeightUpdate): Promise<void> {
    const weights = await drainWeights(mustHave(this.launched).config, stream, signal);
    const loaded = await this.load(weights);
    const old = this.model;
    this.model = loaded;
    this.ownWeights = null;
    this.weightVersion = version;
    this.serving?.batcher.forgetPrompts();
    await old?.release();
  }

  async dispose(): Promise<void> {
    await this.release(["kv_cache", "weights"]);
  }

  private async readOwnWeights(): Promise<void> {
    const source = await openModel(mustHave(this.ownWeights));
    try {
      const stream = readAll(source.tensors, (name) => source.readTensor(name));
      const loaded = await this.load(await drainWeights(source.config, stream));
      // An update may have come in meanwhile.
      if (this.model === null) this.model = loaded;
      else await loaded.release();
    } finally {
      await source.close();
    }
  }

  private prepare(runtime: OrtRuntime, config: ModelConfig): void {
    const { maxModelLen, maxNumSeqs } = this.options;
    if (maxModelLen > config.maxPositions || maxModelLen < 2 || maxNumSeqs < 1) {
      throw rolloutErrors.VERL_ROLLOUT_BAD_OPTION({
        what: `max_model_len is ${maxModelLen} and max_num_seqs ${maxNumSeqs}; the model has ${config.maxPositions} positions`,
        fix: "Keep max_model_len between 2 and the model's max_position_embeddings, and max_num_seqs above 0.",
      });
    }
    const attention = this.attentionFor(runtime, config);
    const build = attention === "shared" ? sharedCacheAttention : plainAttention;
    this.launched = { config, runtime, attention, graph: decodeGraph(config, build(config, maxModelLen)) };
  }

  private keepsCache(): boolean {
    const { maxNumSeqs, maxModelLen } = this.options;
    const bytes = kvCacheBytes(mustHave(this.launched).config, maxNumSeqs, maxModelLen);
    return bytes <= this.extra.keepCacheMiB * 2 ** 20;
  }

  /** The official binding copies the whole cache for every token where input and output share it. */
  private attentionFor(runtime: OrtRuntime, config: ModelConfig): Launched["attention"] {
    if (this.extra.attention !== "auto") return this.extra.attention;
    return runtime.kind === "capi" && canShareCache(config) ? "shared" : "plain";
  }

  private async load(weights: DecodeWeights): Promise<LoadedModel> {
    const { runtime, graph } = mustHave(this.launched);
    const externalInitializers = Object.fromEntries(
      [...weights].map(([name, { shape, data }]) => [name, runtime.tensor("float32", shape, data)]),
    );
    const session = await runtime.createSession(graph, { threads: this.options.threads, externalInitializers });
    return {
      session,
      async release() {
        await session.release();
        for (const tensor of Object.values(externalInitializers)) tensor.release();
      },
    };
  }
}

async function* readAll(
  tensors: readonly { readonly name: string }[],
  read: (name: string) => Promise<NamedTensor>,
): AsyncGenerator<NamedTensor> {
  for (const { name } of tensors) yield await read(name);
}

/** Requests reach the backend only while it is awake and has weights. */
function mustHave<T>(value: T | null): T {
  if (value === null) throw new Error("the server is not ready");
  return value;
}
