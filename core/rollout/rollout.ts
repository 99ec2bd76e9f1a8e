import type { NamedTensor } from "../data/batch/tensor.js";
import type { MediaKind, PlacedMedia } from "../data/media/media.js";
import type { MediaInputsReader } from "../data/media/run-media.js";
import type { IncrementalDecoder } from "../data/tokenizer.js";
import type { MemoryPart } from "../engine/memory.js";
import type { PlanFinding, PlannedModel } from "../engine/plan-check.js";
import type { Profiler } from "../host/profiler.js";
import type { Awaitable, CallOptions, DiagnoseOptions, Diagnosis } from "../host/types.js";

/** How to draw tokens. Frozen by the caller: servers never change it. */
export interface SamplingParams {
  /** 0 = greedy. */
  readonly temperature: number;
  /** 1 = off. */
  readonly topP: number;
  /** −1 or 0 = off. */
  readonly topK: number;
  readonly minP?: number;
  /** 1 = off. */
  readonly repetitionPenalty?: number;
  /** New tokens at most; the response limit of the configuration when absent. At least 1. */
  readonly maxTokens?: number;
  readonly stopTokenIds?: readonly number[];
  /** Texts that end generation; the tokens that completed the text stay in the output. */
  readonly stop?: readonly string[];
  readonly ignoreEos?: boolean;
  /** Whether per-token log-probabilities are wanted. */
  readonly logProbs: boolean;
}

/** `length` wins over `stop` when both hold at the limit; `aborted` carries the tokens drawn so far. */
export type StopReason = "stop" | "length" | "aborted" | "error";

export interface GenerateRequest {
  /** Names the trajectory: sticky routing, and the second half of the random key. */
  readonly requestId: string;
  readonly promptIds: readonly number[] | Int32Array;
  /**
   * Media among the prompt's tokens, in their order. References: what they name is read from `RolloutOptions.media`. Only servers
   * whose capabilities list the kind get any.
   */
  readonly media?: readonly PlacedMedia[];
  readonly sampling: SamplingParams;
  /**
   * Random draws are keyed by (seed, requestId, position), never by batch, slot or thread: the same request gives the
   * same tokens whatever else is in flight.
   */
  readonly seed: number;
  readonly priority?: number;
  /**
   * So many of the prompt's last tokens are this response's own, drawn before it was interrupted. Draws do not depend on it;
   * a stop text that began in them is found.
   */
  readonly continues?: number;
}

/** Tokens `start` to `end` (exclusive) of a response, drawn by the weights of one version. */
export interface VersionRun {
  readonly start: number;
  readonly end: number;
  readonly version: number;
}

export interface TokenOutput {
  readonly tokenIds: readonly number[];
  /** log p under the tempered distribution that the trainer optimises (before top-k, top-p and penalties), nats. */
  readonly logProbs?: readonly number[];
  /** log p under the distribution that was sampled from; equals `logProbs` when nothing truncates it. */
  readonly sampledLogProbs?: readonly number[];
  readonly stopReason: StopReason;
  /** Versions of the weights that drew the first and the last token. */
  readonly minWeightVersion: number;
  readonly maxWeightVersion: number;
  /** Which weights drew which of `tokenIds`, in order and without gaps. Absent where a server knows the span alone. */
  readonly weightVersions?: readonly VersionRun[];
  readonly numPreempted?: number;
  /** How often it was interrupted and resumed. */
  readonly numInterruptions?: number;
  readonly extraFields?: Readonly<Record<string, unknown>>;
}

export interface RolloutCapabilities {
  /** Levels that `sleep` honours: 1 keeps weights on the host, 2 drops weights and cache. */
  readonly sleepLevels: readonly (1 | 2)[];
  readonly adapters: boolean;
  readonly deltaWeights: boolean;
  readonly priority: boolean;
  /** Whether `address` is an HTTP endpoint that speaks the OpenAI protocol. */
  readonly http: boolean;
  readonly logProbs: boolean;
  /** Kinds of media that requests may hold; absent: none. */
  readonly media?: readonly MediaKind[];
  /** Values of `rollout.quantization` that it honours; absent: none. */
  readonly quantizations?: readonly string[];
}

/**
 * One inference server as the driver sees it. Control calls are idempotent. A call during `sleep` rejects with
 * `VERL_ROLLOUT_ASLEEP`; a call between `abortAll` and `resumeGeneration` waits.
 */
export interface RolloutReplica {
  readonly replicaRank: number;
  /** Unique among replicas, with or without HTTP; the balancer keys on it. Known after `launch`. */
  readonly address: string;
  readonly capabilities: RolloutCapabilities;
  launch(options?: CallOptions): Promise<void>;
  /** Rejects on bad requests (prompt too long, token out of range); an abort resolves with `aborted`. */
  generate(request: GenerateRequest, options?: CallOptions): Promise<TokenOutput>;
  abortAll(): Promise<void>;
  resumeGeneration(): Promise<void>;
  /** Free memory until `wakeUp`; waits for requests in flight to be aborted first. */
  sleep(level?: 1 | 2): Promise<void>;
  wakeUp(tags?: readonly MemoryTag[]): Promise<void>;
  clearKvCache(): Promise<void>;
  releaseKvCache(): Promise<void>;
  resumeKvCache(): Promise<void>;
  /** Version of the weights held; −1 before the first update. */
  readonly weightVersion: number;
  setWeightVersion(version: number): Promise<void>;
  /** Requests being served or queued. */
  readonly inFlight: number;
  dispose(): Promise<void>;
}

export type MemoryTag = "weights" | "kv_cache";

/** The trainer's side of a replica: moves weights into it. One adapter per replica. */
export interface ServerAdapter {
  /** Make room for what is about to come. */
  resume(tags: readonly MemoryTag[]): Promise<void>;
  /** Drain the stream, then switch the server to these weights atomically under `version`. */
  updateWeights(weights: AsyncIterable<NamedTensor>, options: WeightUpdate): Promise<void>;
  release(): Promise<void>;
}

export interface WeightUpdate extends CallOptions {
  readonly version: number;
  readonly wireFormat?: "named_tensors" | "delta_flush";
}

/** What a replica and its adapter are made from. Registered under a rollout name (`actor_rollout_ref.rollout.name`). */
export interface RolloutFactory {
  readonly name: string;
  createReplica(options: RolloutOptions): Awaitable<RolloutReplica>;
  /** What is known of a replica made from these options before it is made; as `EngineFactory.check`. */
  check?(options: RolloutOptions): Awaitable<RolloutCheck>;
  /** Memory that a replica made from these options will take; as `EngineFactory.estimate`. */
  estimate?(options: RolloutOptions): Awaitable<readonly MemoryPart[]>;
  /**
   * What `verl doctor` shows about it. Must not throw and leaves nothing running. `chosen` is there for the rollout that the
   * configuration names: `extra` is its section of `rollout.engine_kwargs`, and servers that it names are asked whether they answer.
   */
  diagnose?(chosen?: DiagnoseOptions & { readonly extra: RolloutOptions["extra"] }): Awaitable<readonly Diagnosis[]>;
}

/** What is known of an inference server before it is made. */
export interface RolloutCheck {
  readonly capabilities: RolloutCapabilities;
  /** Null where it cannot be known without starting something, or the model cannot be read. */
  readonly model: PlannedModel | null;
  readonly findings: readonly PlanFinding[];
}

/** Registered under the same rollout name as the replica that it feeds. */
export interface ServerAdapterFactory {
  readonly name: string;
  createAdapter(options: RolloutOptions & { replica: RolloutReplica }): Awaitable<ServerAdapter>;
}

export interface RolloutOptions {
  readonly replicaRank: number;
  /** Hugging Face folder or GGUF file, or a bare model configuration whose weights always come from the trainer. */
  readonly model: { readonly path: string } | { readonly config: Readonly<Record<string, unknown>> };
  /** Longest prompt plus response that must fit, in tokens. */
  readonly maxModelLen: number;
  readonly maxNumSeqs: number;
  /** Default budget of new tokens. */
  readonly responseLength: number;
  /** Tokens that end a response unless `ignoreEos`. */
  readonly eosTokenIds: readonly number[];
  /** For stop texts: a decoder for each response, special tokens kept. Null where no tokenizer is at hand. */
  readonly createDecoder: (() => IncrementalDecoder) | null;
  readonly threads: number;
  /** Fewer bits for the weights that it samples with, such as `int8`; null or absent: as they come. */
  readonly quantization?: string | null;
  /** Gives bytes, or the processor's inputs, of the media that requests name; absent: requests hold none. */
  readonly media?: MediaInputsReader;
  /** `data.mm_processor_kwargs`, for servers that prepare media themselves. */
  readonly mmProcessorKwargs?: Readonly<Record<string, unknown>>;
  /** The section `rollout.engine_kwargs.<name>`. */
  readonly extra: Readonly<Record<string, unknown>>;
  /** Collects where the time goes; absent: nobody asks. */
  readonly profiler?: Profiler;
}

/** The client that agent loops use: routes a request to a replica and hides interruptions where the mode asks for it. */
export interface LlmClient {
  generate(request: GenerateRequest, options?: CallOptions): Promise<TokenOutput>;
}

/** Picks servers: sticky by request id, else least in flight, ties to the first registered. */
export interface LoadBalancer {
  acquire(requestId: string): { readonly address: string; readonly replica: RolloutReplica };
  /** Unknown addresses are ignored; never below zero. */
  release(address: string): void;
  add(replica: RolloutReplica): void;
  remove(address: string): void;
  /** Forget sticky routes; returns how many there were. */
  clearSticky(): number;
  readonly size: number;
}
