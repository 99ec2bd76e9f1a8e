import type { ModelConfig } from "../../../core/formats/index.js";
import { allocateTensorData } from "../runtime/index.js";

export type CacheShape = Pick<ModelConfig, "numLayers" | "numKvHeads" | "headDim">;

export const KINDS = ["key", "value"] as const;

/** Bytes of a cache for `slots` sequences of up to `maxLength` tokens each. */
export function kvCacheBytes(shape: CacheShape, slots: number, maxLength: number): number {
  return 2 * 4 * shape.numLayers * shape.numKvHeads * shape.headDim * slots * maxLength;
}

/** Keys and values of every layer, [slots, kvHeads, L, headDim] each. A slot holds one sequence, its first tokens first. */
export class KvCache {
  private readonly layers: { readonly key: Float32Array; readonly value: Float32Array }[];

  constructor(
    readonly shape: CacheShape,
    readonly slots: number,
    readonly maxLength: number,
  ) {
    const size = slots * this.slotSize;
    this.layers = Array.from({ length: shape.numLayers }, () => ({
      key: allocateTensorData("float32", size),
      value: allocateTensorData("float32", size),
    }));
  }

  /** The memory of neighbouring slots in one layer, [count, kvHeads, L, headDim]. */
  view(layer: number, kind: "key" | "value", first: number, count: number): Float32Array {
    return this.layers[layer][kind].subarray(first * this.slotSize, (first + count) * this.slotSize);
  }

  /** Copy the first `length` tokens of one slot over another. */
  copy(from: number, to: number, length: number): void {
    const { numKvHeads, headDim } = this.shape;
    const stride = this.maxLength * headDim;
    for (const layer of this.layers) {
      for (const kind of KINDS) {
        for (let head = 0; head < numKvHeads; head++) {
          const [source, target] = [(from * numKvHeads + head) * stride, (to * numKvHeads + head) * stride];
          layer[kind].copyWithin(target, source, source + length * headDim);
        }
      }
    }
  }

  /** Put tokens [kvHeads, width, headDim] into a slot from `position` on; only the first `length` of them count. */
  write(
    at: { layer: number; kind: "key" | "value"; slot: number; position: number },
    tokens: Float32Array,
    length: number,
  ): void {
    const { numKvHeads, headDim } = this.shape;
    const target = this.view(at.layer, at.kind, at.slot, 1);
    const width = tokens.length / numKvHeads;
    for (let head = 0; head < numKvHeads; head++) {
      const source = tokens.subarray(head * width, head * width + length * headDim);
      target.set(source, (head * this.maxLength + at.position) * headDim);
    }
  }

  clear(slot: number): void {
    for (let layer = 0; layer < this.layers.length; layer++) {
      for (const kind of KINDS) this.view(layer, kind, slot, 1).fill(0);
    }
  }

  private get slotSize(): number {
    return this.shape.numKvHeads * this.maxLength * this.shape.headDim;
  }
}
