import { availableParallelism } from "node:os";
import type { ModelConfig } from "../../../core/formats/index.js";
import { ropeFeeds } from "../models/rope-feeds.js";
import { allocateTensorData, type OrtRuntime, type OrtTensor } from "../runtime/index.js";
import { DECODE } from "./decode-graph.js";
import { KINDS, KvCache, type SavedTokens } from "./kv-cache.js";
import { SHARED_CACHE } from "./shared-cache-attention.js";
import type { LoadedWeights, LogitRows, TokenRunner } from "./token-runner.js";

/**
 * Tokens of a prompt that are computed at once where layers see a window: each query of a piece is multiplied with the
 * keys of the whole piece and the window before it, so long pieces waste time, while short ones make small products.
 */
const WINDOWED_PIECE = 256;

/** One token at once goes through other kernels: with this length no piece need be so short. */
const LEAST_PIECE = 3;

/** One call's feeds and fetches over memory that is filled before every run. */
interface Call {
  readonly ids_BS: Int32Array;
  readonly wanted_N: BigInt64Array;
  readonly lastPosition_B: Int32Array;
  readonly total: Int32Array;
  /** Null in models without a table of positions. */
  readonly positions_BS: BigInt64Array | null;
  readonly feeds: Record<string, OrtTensor>;
  readonly fetches: Record<string, OrtTensor>;
}

/** Runs the decode graph over a cache that lies in one place, as onnxruntime's C API allows. */
export class SharedCacheRunner implements TokenRunner {
  private readonly cache: KvCache;
  private readonly maxPiece: number;
  /** Rows of a call that appends tokens, at least; those without a sequence write to slots that are free. */
  private readonly minRows: number;
  private readonly logits_BV: Float32Array;
  private readonly rope: Record<string, OrtTensor>;
  /** Calls that append one token to the first B slots, by B. */
  private readonly decodeCalls = new Map<number, Call>();

  constructor(
    private readonly runtime: OrtRuntime,
    private readonly config: ModelConfig,
    readonly slots: number,
    maxLength: number,
    /** Tokens of a prompt that are computed at once at most; a longer prompt goes in pieces. */
    maxPiece: number,
    threads: number,
    private readonly loaded: () => LoadedWeights,
  ) {
    // With fewer heads than threads, GroupQueryAttention cuts long sequences into parts, whose sums are rounded in another order.
    this.minRows = Math.ceil((threads || availableParallelism()) / config.numHeads);
    this.cache = new KvCache(config, Math.max(slots, this.minRows), maxLength);
    this.maxPiece = Math.max(LEAST_PIECE, this.cache.slides ? Math.min(maxPiece, WINDOWED_PIECE) : maxPiece);
    this.logits_BV = allocateTensorData("float32", slots * config.vocabSize);
    this.rope = ropeFeeds(runtime, config, maxLength, ["cos", "sin"]);
  }

  get weightVersion(): number {
    return this.loaded().version;
  }

  async prefill(first: number, prompts: readonly ArrayLike<number>[]): Promise<LogitRows> {
    // GroupQueryAttention with a cache that slides takes prompts of one length only.
    const goesAlone = ({ length }: ArrayLike<number>) => this.cache.slides || length > this.maxPiece;
    let logits = prompts.some(goesAlone) ? null : await this.prefillTogether(first, prompts);
    if (!logits) {
      for (const [row, prompt] of prompts.entries()) logits = await this.prefillAlone(first, row, prompt);
    }
    this.cache.lengths.set(
      prompts.map(({ length }) => length),
      first,
    );
    return logits as LogitRows;
  }

  private async prefillTogether(first: number, prompts: readonly ArrayLike<number>[]): Promise<LogitRows> {
    // One cell of padding at least: attention works on blocks of queries, and a prompt's last token alone in its block
    // would take a kernel of its own, with other rounding.
    const width = 1 + Math.max(...prompts.map((prompt) => prompt.length));
    const call = this.makeCall(first, prompts.length, width);
    prompts.forEach((prompt, row) => {
      call.ids_BS.set(prompt, row * width);
      call.wanted_N[row] = BigInt(row * width + prompt.length - 1);
      call.lastPosition_B[row] = prompt.length - 1;
      for (let s = 0; s < prompt.length && call.positions_BS; s++) call.positions_BS[row * width + s] = BigInt(s);
    });
    call.total[0] = width;
    return this.runOnce(call);
  }

  /** A prompt by itself, cut at multiples of the piece's length: where depends on positions alone. */
  private async prefillAlone(first: number, row: number, prompt: ArrayLike<number>): Promise<LogitRows> {
    const tokens = Int32Array.from(prompt);
    const { length } = tokens;
    let logits: LogitRows | null = null;
    for (let start = 0, end = 0; start < length; start = end) {
      end = Math.min(start + this.maxPiece, length);
      // The cell of padding counts here: its keys lie where the first sampled token's will be written. A cache that slides
      // has no place for it; there, the last piece has two tokens at least.
      if (this.cache.slides && end === length - 1) end--;
      const width = end === length && !this.cache.slides ? end + 1 - start : end - start;
      const call = this.makeCall(first + row, 1, width, { firstLogits: row });
      call.ids_BS.set(tokens.subarray(start, end));
      call.wanted_N[0] = BigInt(end - start - 1);
      call.lastPosition_B[0] = start + width - 1;
      for (let s = 0; s < width && call.positions_BS; s++) call.positions_BS[s] = BigInt(start + s);
      call.total[0] = start + width;
      logits = await this.runOnce(call);
    }
    return logits as LogitRows;
  }

  async decode(tokens: readonly number[], lengths: readonly number[]): Promise<LogitRows> {
    const count = tokens.length;
    let call = this.decodeCalls.get(count);
    if (!call) {
      call = this.makeCall(0, Math.max(count, this.minRows), 1, { wanted: count });
      call.wanted_N.forEach((_, row, wanted) => {
        wanted[row] = BigInt(row);
      });
      this.decodeCalls.set(count, call);
    }
    call.ids_BS.set(tokens);
    call.lastPosition_B.set(lengths);
    call.positions_BS?.set(lengths.map(BigInt));
    call.total[0] = Math.max(...lengths) + 1;
    const logits = await this.run(call);
    this.cache.lengths.set(lengths.map((length) => length + 1));
    return logits;
  }

  get forgets(): boolean {
    return this.cache.slides;
  }

  keeps(slot: number, length: number): boolean {
    return this.cache.keeps(slot, length);
  }

  save(slot: number, length: number): SavedTokens {
    return this.cache.save(slot, length);
  }

  copy(from: number, to: number, length: number, saved?: SavedTokens | null): void {
    this.cache.copy(from, to, length, saved);
  }

  release(): void {
    for (const call of this.decodeCalls.values()) release(call, this.rope);
    this.decodeCalls.clear();
    for (const tensor of Object.values(this.rope)) tensor.release();
  }

  private async run(call: Call): Promise<LogitRows> {
    const { session, version } = this.loaded();
    const { vocabSize } = this.config;
    await session.run(call.feeds, call.fetches);
    return {
      row: (index) => this.logits_BV.subarray(index * vocabSize, (index + 1) * vocabSize),
      weightVersion: version,
    };
  }

  private async runOnce(call: Call): Promise<LogitRows> {
    try {
      return await this.run(call);
    } finally {
      release(call, this.rope);
    }
  }

  /** For rows in neighbouring slots, of which `wanted` give logits. */
  private makeCall(first: number, count: number, width: number, { wanted = count, firstLogits = 0 } = {}): Call {
    const { runtime, cache, config } = this;
    const ids_BS = allocateTensorData("int32", count * width);
    const wanted_N = allocateTensorData("int64", wanted);
    const lastPosition_B = allocateTensorData("int32", count);
    const total = allocateTensorData("int32", 1);
    const feeds: Record<string, OrtTensor> = {
      ...this.rope,
      [DECODE.ids]: runtime.tensor("int32", [count, width], ids_BS),
      [DECODE.wanted]: runtime.tensor("int64", [wanted], wanted_N),
      [SHARED_CACHE.lastPosition]: runtime.tensor("int32", [count], lastPosition_B),
      [SHARED_CACHE.total]: runtime.tensor("int32", [], total),
    };
    const positions_BS = config.names.positions === undefined ? null : allocateTensorData("int64", count * width);
    if (positions_BS) feeds[DECODE.positions] = runtime.tensor("int64", [count, width], positions_BS);
    const { vocabSize } = config;
    const logits = this.logits_BV.subarray(firstLogits * vocabSize, (firstLogits + wanted) * vocabSize);
    const fetches: Record<string, OrtTensor> = {
      [DECODE.logits]: runtime.tensor("float32", [wanted, vocabSize], logits),
    };
    for (let layer = 0; layer < config.numLayers; layer++) {
      for (const kind of KINDS) {
        const tensor = runtime.tensor("float32", cache.dims(layer, count), cache.view(layer, kind, first, count));
        feeds[DECODE.past(layer, kind)] = tensor;
        fetches[DECODE.present(layer, kind)] = tensor;
      }
    }
    return { ids_BS, wanted_N, lastPosition_B, total, positions_BS, feeds, fetches };
  }
}

function release(call: Call, shared: Readonly<Record<string, OrtTensor>>): void {
  const keep = new Set(Object.values(shared));
  for (const tensor of new Set([...Object.values(call.feeds), ...Object.values(call.fetches)])) {
    if (!keep.has(tensor)) tensor.release();
  }
}
