import { type ModelConfig, openModel, parseModelConfig } from "../../../core/formats/index.js";
import {
  type CheckedRequest,
  type MemoryTag,
  type NamedTensor,
  profiled,
  type ReplicaBackend,
  type RolloutOptions,
  rolloutErrors,
  type TokenOutput,
  type WeightUpdate,
} from "../../../core/plugin.js";
import { type OrtRuntime, type OrtSession, openOrtRuntime } from "../runtime/index.js";
import { Batcher } from "./batcher.js";
import { ROLLOUT_CAPABILITIES } from "./capabilities.js";
import { decodeGraph } from "./decode-graph.js";
import { kvCacheBytes } from "./kv-cache.js";
import { kvCacheStays } from "./memory.js";
import { type OnnxRolloutOptions, parseOnnxOptions } from "./options.js";
import { plainAttention } from "./plain-attention.js";
import { PlainRunner } from "./plain-runner.js";
import { parseQuantization, type Quantization } from "./quantization.js";
import { checkQuantization } from "./quantization-check.js";
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

/** A session with the weights in it, and the memory that it refers to. */
interface LoadedModel {
  readonly session: OrtSession;
  readonly weights: DecodeWeights;
  /** Runs in flight finish first. */
  release(): Promise<void>;
}

/** Serves a model with the kernels of the ONNX engine, in this process. */
export class OnnxRolloutBackend implements ReplicaBackend {
  readonly capabilities = ROLLOUT_CAPABILITIES;
  weightVersion = -1;
  private readonly extra: OnnxRolloutOptions;
  private readonly quantization: Quantization | null;
  private launched: Launched | null = null;
  private model: LoadedModel | null = null;
  /** Model whose own weights serve until the first update; read when the first request needs them. */
  private ownWeights: string | null = null;
  /** Weights on their way into a session; requests wait for it. */
  private loading: Promise<void> | null = null;
  /** Memory of the weights before the present ones, for the next: two buffers in turn instead of garbage of that size. */
  private spare: DecodeWeights | null = null;
  private serving: { readonly runner: TokenRunner; readonly batcher: Batcher } | null = null;

  constructor(private readonly options: RolloutOptions) {
    this.extra = parseOnnxOptions(options.extra);
    this.quantization = parseQuantization(options.quantization);
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
    if (this.quantization !== null) await checkQuantization(runtime, this.quantization);
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
    while (this.model === null) {
      this.loading ??= this.whileLoading(this.readOwnWeights());
      await this.loading;
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
      this.spare = null;
      this.ownWeights = null;
      this.weightVersion = -1;
    }
  }

  acquire(tags: readonly MemoryTag[]): void {
    if (!tags.includes("kv_cache") || this.serving) return;
    const { runtime, config, attention } = mustHave(this.launched);
    const { maxNumSeqs, maxModelLen, eosTokenIds, createDecoder, threads, profiler } = this.options;
    const { maxPrefillTokens } = this.extra;
    const loaded = () => ({ session: mustHave(this.model).session, version: this.weightVersion });
    const runner =
      attention === "shared"
        ? new SharedCacheRunner(runtime, config, maxNumSeqs, maxModelLen, maxPrefillTokens, threads, loaded)
        : new PlainRunner(runtime, config, maxNumSeqs, maxModelLen, threads, maxPrefillTokens, loaded);
    const { vocabSize } = config;
    this.serving = {
      runner,
      batcher: new Batcher(runner, { vocabSize, maxPrefillTokens, eosTokenIds, createDecoder, profiler }),
    };
  }

  clearKvCache(): void {
    this.serving?.batcher.forgetPrompts();
  }

  async updateWeights(stream: AsyncIterable<NamedTensor>, { version, signal }: WeightUpdate): Promise<void> {
    const { config } = mustHave(this.launched);
    const { spare, quantization } = this;
    this.spare = null;
    const weights = await drainWeights(config, stream, { quantization, signal, into: spare });
    await this.loading;
    this.loading = this.whileLoading(this.exchange(weights));
    await this.loading;
    this.ownWeights = null;
    this.weightVersion = version;
    this.serving?.batcher.forgetPrompts();
  }

  async dispose(): Promise<void> {
    await this.release(["kv_cache", "weights"]);
  }

  private whileLoading(work: Promise<void>): Promise<void> {
    return work.finally(() => {
      this.loading = null;
    });
  }

  /**
   * Put new weights into use. With nothing in flight the old session goes first, so that onnxruntime's arena, which keeps
   * what it once had, never holds two prepared copies of the weights.
   */
  private async exchange(weights: DecodeWeights): Promise<void> {
    const old = this.model;
    if (old && this.serving?.batcher.isIdle !== false) {
      this.model = null;
      await old.release();
      try {
        this.model = await this.load(weights);
      } catch (error) {
        this.model = await this.load(old.weights);
        throw error;
      }
    } else {
      this.model = await this.load(weights);
      await old?.release();
    }
    this.spare = old?.weights ?? null;
  }

  private async readOwnWeights(): Promise<void> {
    const source = await openModel(mustHave(this.ownWeights), this.extra);
    try {
      const stream = readAll(source.tensors, (name) => source.readTensor(name));
      this.model = await this.load(await drainWeights(source.config, stream, { quantization: this.quantization }));
    } finally {
      await source.close();
    }
  }

  private prepare(runtime: OrtRuntime, config: ModelConfig): void {
    const { maxModelLen, maxNumSeqs } = this.options;
    if (maxModelLen > config.maxPositions || maxModelLen < 2 || maxNumSeqs < 1) {
      throw rolloutErrors.VERL_ROLLOUT_BAD_OPTION({
        what: `max_model_len is ${maxModelLen} and max_num_seqs ${maxNumSeqs}; the model has ${config.maxPositions} positions`,
        why: "max_model_len is data.max_prompt_length + data.max_response_length where it is not set",
        fix: "Lower data.max_prompt_length, data.max_response_length or actor_rollout_ref.rollout.max_model_len, or take a model of more positions.",
      });
    }
    const attention = this.attentionFor(runtime, config);
    const build = attention === "shared" ? sharedCacheAttention : plainAttention;
    this.launched = {
      config,
      runtime,
      attention,
      graph: decodeGraph(config, build(config, maxModelLen), this.quantization),
    };
  }

  private keepsCache(): boolean {
    const { maxNumSeqs, maxModelLen } = this.options;
    const bytes = kvCacheBytes(mustHave(this.launched).config, maxNumSeqs, maxModelLen);
    return kvCacheStays(bytes, this.extra.keepCacheMiB);
  }

  /** The official binding copies the whole cache for every token where input and output share it. */
  private attentionFor(runtime: OrtRuntime, config: ModelConfig): Launched["attention"] {
    if (this.extra.attention !== "auto") return this.extra.attention;
    return runtime.kind === "capi" && canShareCache(config) ? "shared" : "plain";
  }

  private async load(weights: DecodeWeights): Promise<LoadedModel> {
    const { runtime, graph } = mustHave(this.launched);
    const externalInitializers = Object.fromEntries(
      [...weights].map(([name, { dtype, shape, data }]) => [name, runtime.tensor(dtype, shape, data)]),
    );
    const { threads, profiler } = this.options;
    const tracePath = profiler?.operatorTrace("sampling");
    const session = await profiled(profiler, "load weights", () =>
      runtime.createSession(graph, {
        threads,
        // A token, or a piece of a prompt, over a cache that would have to be copied.
        shortRuns: true,
        externalInitializers,
        ...(tracePath ? { tracePath } : {}),
      }),
    );
    return {
      session,
      weights,
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
