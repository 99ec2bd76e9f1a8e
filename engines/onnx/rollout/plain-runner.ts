import { availableParallelism } from "node:os";
import type { ModelConfig } from "../../../core/formats/index.js";
import { MASKED } from "../models/attention.js";
import { ropeFeeds } from "../models/rope-feeds.js";
import { allocateTensorData, type OrtRuntime, type OrtTensor } from "../runtime/index.js";
import type { CacheLayout } from "./cache-layout.js";
import { DECODE } from "./decode-graph.js";
import { KINDS, KvCache, type SavedTokens } from "./kv-cache.js";
import { PLAIN } from "./plain-attention.js";
import type { LoadedWeights, LogitRows, TokenRunner } from "./token-runner.js";

/** Prompts are padded to a multiple of this, and run with prompts of the same padded length only. */
const PROMPT_STEP = 32;
/** Longer prompts go in pieces of so many tokens: every query has a score for the whole cache. */
const MOST_PIECE = 256;

/** New tokens of one slot, behind those that it holds already. */
interface Row {
  readonly slot: number;
  readonly tokens: ArrayLike<number>;
}

/** What calls say about one layout of the cache. */
interface LayoutFeeds {
  readonly layout: CacheLayout;
  readonly pastMask_BR: Float32Array;
  readonly newRows_BS: BigInt64Array;
}

/** Feeds and fetches of calls with B rows of S tokens, over memory that is filled before every run. */
interface Call {
  readonly count: number;
  readonly width: number;
  readonly ids_BS: Int32Array;
  readonly positions_BS: BigInt64Array;
  readonly wanted_B: BigInt64Array;
  readonly layouts: readonly LayoutFeeds[];
  readonly logits_BV: Float32Array;
  /** [B, kvHeads, S, headDim] each */
  readonly present: readonly { readonly key: Float32Array; readonly value: Float32Array }[];
  readonly feeds: Record<string, OrtTensor>;
  readonly fetches: Record<string, OrtTensor>;
}

/** Runs the decode graph with plain attention; the cache is written here, between calls. */
export class PlainRunner implements TokenRunner {
  private readonly cache: KvCache;
  private readonly rope: Readonly<Record<string, OrtTensor>>;
  private readonly minRows: number;
  private readonly maxPiece: number;
  private readonly decodeCalls = new Map<number, Call>();

  constructor(
    private readonly runtime: OrtRuntime,
    private readonly config: ModelConfig,
    readonly slots: number,
    private readonly maxLength: number,
    threads: number,
    maxPrefillTokens: number,
    private readonly loaded: () => LoadedWeights,
  ) {
    this.maxPiece = Math.min(MOST_PIECE, maxPrefillTokens);
    // With fewer products than threads, onnxruntime splits each of them, and splitting changes the order of sums.
    this.minRows = Math.ceil((threads || availableParallelism()) / config.numKvHeads);
    this.cache = new KvCache(config, slots + this.minRows, maxLength);
    this.rope = ropeFeeds(runtime, config, maxLength, ["cos", "sin"]);
  }

  get weightVersion(): number {
    return this.loaded().version;
  }

  async prefill(first: number, prompts: readonly ArrayLike<number>[]): Promise<LogitRows> {
    const loaded = this.loaded();
    const byWidth = new Map<number, Row[]>();
    prompts.forEach((prompt, i) => {
      // What a slot held before is masked, but a NaN in it would come through.
      this.cache.clear(first + i);
      const tokens = Int32Array.from(prompt).subarray(0, this.maxPiece);
      const width = this.paddedWidth(tokens.length);
      byWidth.set(width, [...(byWidth.get(width) ?? []), { slot: first + i, tokens }]);
    });
    const logits: Float32Array[] = [];
    const compute = async (slot: number, rows: readonly Row[], width: number) => {
      const call = this.makeCall(slot, Math.max(rows.length, this.minRows), width);
      await this.run(call, rows, loaded);
      rows.forEach(({ slot }, i) => {
        logits[slot - first] = this.logitsOf(call, i).slice();
      });
      this.releaseCall(call);
    };
    for (const [width, rows] of byWidth) await compute(first, rows, width);
    // A row reads the slot's cache from its second piece on, so each goes by itself.
    for (const [i, prompt] of prompts.entries()) {
      const tokens = Int32Array.from(prompt);
      for (let past = this.maxPiece; past < tokens.length; past += this.maxPiece) {
        const piece = tokens.subarray(past, past + this.maxPiece);
        await compute(first + i, [{ slot: first + i, tokens: piece }], this.paddedWidth(piece.length));
      }
    }
    return { row: (index) => logits[index], weightVersion: loaded.version };
  }

  async decode(tokens: readonly number[], lengths: readonly number[]): Promise<LogitRows> {
    const count = Math.max(tokens.length, this.minRows);
    const call = this.decodeCalls.get(count) ?? this.makeCall(0, count, 1);
    this.decodeCalls.set(count, call);
    const loaded = this.loaded();
    this.cache.lengths.set(lengths);
    const rows = tokens.map((token, slot) => ({ slot, tokens: [token] }));
    await this.run(call, rows, loaded);
    return { row: (index) => this.logitsOf(call, index), weightVersion: loaded.version };
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
    this.cache.clear(to);
    this.cache.copy(from, to, length, saved);
  }

  release(): void {
    for (const call of this.decodeCalls.values()) this.releaseCall(call);
    this.decodeCalls.clear();
    for (const tensor of Object.values(this.rope)) tensor.release();
  }

  private paddedWidth(tokens: number): number {
    return Math.min(Math.ceil(tokens / PROMPT_STEP) * PROMPT_STEP, this.maxLength);
  }

  private async run(call: Call, rows: readonly Row[], { session }: LoadedWeights): Promise<void> {
    const { width, ids_BS, positions_BS, wanted_B } = call;
    const { cache } = this;
    ids_BS.fill(0);
    positions_BS.fill(0n);
    wanted_B.fill(0n);
    rows.forEach(({ slot, tokens }, b) => {
      ids_BS.set(tokens, b * width);
      wanted_B[b] = BigInt(b * width + tokens.length - 1);
      count(positions_BS, b * width, cache.lengths[slot], tokens.length);
    });
    for (const { layout, pastMask_BR, newRows_BS } of call.layouts) {
      pastMask_BR.fill(MASKED);
      newRows_BS.fill(0n);
      rows.forEach(({ slot, tokens }, b) => {
        const filled = layout.filled(cache.lengths[slot]);
        pastMask_BR.fill(0, b * layout.rows, b * layout.rows + filled);
        count(newRows_BS, b * width, filled, tokens.length);
      });
    }
    await session.run(call.feeds, call.fetches);
    call.present.forEach((tensors, layer) => {
      for (const kind of KINDS) {
        const size = tensors[kind].length / call.count;
        rows.forEach(({ slot, tokens }, b) => {
          cache.append({ layer, kind, slot }, tensors[kind].subarray(b * size, (b + 1) * size), tokens.length);
        });
      }
    });
    for (const { slot, tokens } of rows) cache.lengths[slot] += tokens.length;
  }

  private logitsOf({ logits_BV }: Call, row: number): Float32Array {
    const { vocabSize } = this.config;
    return logits_BV.subarray(row * vocabSize, (row + 1) * vocabSize);
  }

  private makeCall(first: number, count: number, width: number): Call {
    const { runtime, config, cache } = this;
    const { vocabSize, numKvHeads, headDim } = config;
    const ids_BS = allocateTensorData("int32", count * width);
    const positions_BS = allocateTensorData("int64", count * width);
    const wanted_B = allocateTensorData("int64", count);
    const layouts = [...new Set(cache.layouts)].map((layout) => ({
      layout,
      pastMask_BR: allocateTensorData("float32", count * layout.rows),
      newRows_BS: allocateTensorData("int64", count * width),
    }));
    const logits_BV = allocateTensorData("float32", count * vocabSize);
    const present = Array.from({ length: config.numLayers }, () => ({
      key: allocateTensorData("float32", count * numKvHeads * width * headDim),
      value: allocateTensorData("float32", count * numKvHeads * width * headDim),
    }));
    const feeds: Record<string, OrtTensor> = {
      ...this.rope,
      [DECODE.ids]: runtime.tensor("int32", [count, width], ids_BS),
      [DECODE.wanted]: runtime.tensor("int64", [count], wanted_B),
      [DECODE.positions]: runtime.tensor("int64", [count, width], positions_BS),
    };
    for (const { layout, pastMask_BR, newRows_BS } of layouts) {
      feeds[PLAIN.pastMask(layout)] = runtime.tensor("float32", [count, 1, 1, layout.rows], pastMask_BR);
      if (layout.window !== null) feeds[PLAIN.newRows(layout)] = runtime.tensor("int64", [count, width], newRows_BS);
    }
    const fetches: Record<string, OrtTensor> = {
      [DECODE.logits]: runtime.tensor("float32", [count, vocabSize], logits_BV),
    };
    present.forEach((tensors, layer) => {
      for (const kind of KINDS) {
        const past = cache.view(layer, kind, first, count);
        feeds[DECODE.past(layer, kind)] = runtime.tensor("float32", cache.dims(layer, count), past);
        const shape = [count, numKvHeads, width, headDim];
        fetches[DECODE.present(layer, kind)] = runtime.tensor("float32", shape, tensors[kind]);
      }
    });
    return { count, width, ids_BS, positions_BS, wanted_B, layouts, logits_BV, present, feeds, fetches };
  }

  private releaseCall({ feeds, fetches }: Call): void {
    const keep = new Set(Object.values(this.rope));
    for (const tensor of [...Object.values(feeds), ...Object.values(fetches)]) if (!keep.has(tensor)) tensor.release();
  }
}

/** Writes `length` numbers from `start` on. */
function count(into: BigInt64Array, at: number, start: number, length: number): void {
  for (let i = 0; i < length; i++) into[at + i] = BigInt(start + i);
}
