import type { ModelConfig } from "../../../core/formats/index.js";
import { allocateTensorData } from "../runtime/index.js";
import { type CacheLayout, cacheLayouts } from "./cache-layout.js";

export type CacheShape = Pick<ModelConfig, "layers" | "numKvHeads" | "headDim">;

export const KINDS = ["key", "value"] as const;
export type Kind = (typeof KINDS)[number];

/** Bytes of a cache for `slots` sequences of up to `maxLength` tokens each. */
export function kvCacheBytes(shape: CacheShape, slots: number, maxLength: number): number {
  const rows = cacheLayouts(shape, maxLength).reduce((sum, layout) => sum + layout.rows, 0);
  return 2 * 4 * shape.numKvHeads * shape.headDim * slots * rows;
}

/** What the layers that forget had of a sequence, by layer: [kvHeads, filled rows, headDim]. */
export type SavedTokens = ReadonlyMap<number, Readonly<Record<Kind, Float32Array>>>;

/**
 * Keys and values of every layer, [slots, kvHeads, rows, headDim] each. A slot holds one sequence, its tokens where the
 * layer's {@link CacheLayout} puts them.
 */
export class KvCache {
  /** By layer. */
  readonly layouts: readonly CacheLayout[];
  /** Tokens of each slot's sequence that have been computed. */
  readonly lengths: Int32Array;
  private readonly layers: readonly Readonly<Record<Kind, Float32Array>>[];

  constructor(
    readonly shape: CacheShape,
    readonly slots: number,
    readonly maxLength: number,
  ) {
    this.layouts = cacheLayouts(shape, maxLength);
    this.lengths = new Int32Array(slots);
    this.layers = this.layouts.map((_, layer) => {
      const size = slots * this.slotSize(layer);
      return { key: allocateTensorData("float32", size), value: allocateTensorData("float32", size) };
    });
  }

  /** Whether some layers keep the latest tokens only. */
  get slides(): boolean {
    return this.layouts.some(({ slides }) => slides);
  }

  /** [count, kvHeads, rows, headDim] */
  dims(layer: number, count: number): readonly number[] {
    return [count, this.shape.numKvHeads, this.layouts[layer].rows, this.shape.headDim];
  }

  /** The memory of neighbouring slots in one layer. */
  view(layer: number, kind: Kind, first: number, count: number): Float32Array {
    const size = this.slotSize(layer);
    return this.layers[layer][kind].subarray(first * size, (first + count) * size);
  }

  /** Whether a slot still has what its sequence had when it was `length` tokens long. */
  keeps(slot: number, length: number): boolean {
    const now = this.lengths[slot];
    return length <= now && this.layouts.every((layout) => layout.dropped(now) === layout.dropped(length));
  }

  /** A copy of what {@link copy} needs when the slot will no longer keep the first `length` tokens, which it does now. */
  save(slot: number, length: number): SavedTokens {
    const saved = new Map<number, Record<Kind, Float32Array>>();
    this.layouts.forEach((layout, layer) => {
      if (!layout.slides) return;
      const size = layout.filled(length) * this.shape.headDim;
      const copyOf = (kind: Kind) => {
        const copied = new Float32Array(this.shape.numKvHeads * size);
        this.eachHead(layer, kind, (all, start, head) => {
          copied.set(all.subarray(start(slot), start(slot) + size), head * size);
        });
        return copied;
      };
      saved.set(layer, { key: copyOf("key"), value: copyOf("value") });
    });
    return saved;
  }

  /**
   * Make a slot hold the first `length` tokens of another, which keeps them or had them saved; fewer where it has fewer.
   */
  copy(from: number, to: number, length: number, saved: SavedTokens | null = null): void {
    const copied = Math.min(length, this.lengths[from]);
    this.layouts.forEach((layout, layer) => {
      const size = layout.filled(copied) * this.shape.headDim;
      for (const kind of KINDS) {
        const source = saved?.get(layer)?.[kind];
        this.eachHead(layer, kind, (all, start, head) => {
          if (source) all.set(source.subarray(head * size, (head + 1) * size), start(to));
          else all.copyWithin(start(to), start(from), start(from) + size);
        });
      }
    });
    this.lengths[to] = copied;
  }

  /**
   * Put the first `count` of new tokens [kvHeads, width, headDim] behind the tokens of a slot. Its length is changed when all
   * layers have them.
   */
  append(at: { layer: number; kind: Kind; slot: number }, tokens: Float32Array, count: number): void {
    const { numKvHeads, headDim } = this.shape;
    const layout = this.layouts[at.layer];
    const length = this.lengths[at.slot];
    const [before, after] = [layout.filled(length), layout.filled(length + count)];
    const kept = Math.max(0, after - count);
    const skipped = Math.max(0, count - after);
    const width = tokens.length / numKvHeads;
    this.eachHead(at.layer, at.kind, (all, start, head) => {
      const first = start(at.slot);
      if (kept < before) all.copyWithin(first, first + (before - kept) * headDim, first + before * headDim);
      const source = tokens.subarray(head * width + skipped * headDim, head * width + count * headDim);
      all.set(source, first + kept * headDim);
    });
  }

  clear(slot: number): void {
    this.lengths[slot] = 0;
    for (let layer = 0; layer < this.layers.length; layer++) {
      for (const kind of KINDS) this.view(layer, kind, slot, 1).fill(0);
    }
  }

  /** Calls back with a layer's whole array and where the rows of a slot begin in it, for each head. */
  private eachHead(
    layer: number,
    kind: Kind,
    visit: (all: Float32Array, start: (slot: number) => number, head: number) => void,
  ): void {
    const { numKvHeads, headDim } = this.shape;
    const size = this.layouts[layer].rows * headDim;
    for (let head = 0; head < numKvHeads; head++) {
      visit(this.layers[layer][kind], (slot) => (slot * numKvHeads + head) * size, head);
    }
  }

  private slotSize(layer: number): number {
    return this.shape.numKvHeads * this.layouts[layer].rows * this.shape.headDim;
  }
}
