import type { Graph, Ref } from "../ir/index.js";

/** The keys of one block of queries, [firstKey, end) of T. int64 [1] each. */
export interface KeyRange {
  /** Of the block's queries. */
  readonly start: Ref;
  readonly firstKey: Ref;
  readonly end: Ref;
}

/** Sums of arrays [B, kvHeads, keys, headDim] over blocks of queries, each at the keys of its block. */
export interface KeySums {
  /** Before the first block. */
  readonly zeros: Ref;
  /** The sum with one block's array in it, and what no later block adds to: every block's in one shape. */
  add(g: Graph, sum: Ref, x: Ref, range: KeyRange): { readonly next: Ref; readonly finished: readonly Ref[] };
  /** [B, kvHeads, T, headDim], from what remains and what all blocks have finished. */
  total(sum: Ref, finished: readonly Ref[]): Ref;
}

export interface KeySumShape {
  /** [B, kvHeads, T, headDim] */
  readonly keys: Ref;
  /** T, int64 [1]. */
  readonly length: Ref;
  /** Blocks, int64 [1]. */
  readonly count: Ref;
  /** Queries of a block. */
  readonly rows: number;
}

/** Blocks see all keys before them: the sum is as long as the sequence, and so is the work of each block. */
export function wholeSums(g: Graph, { keys, length }: KeySumShape): KeySums {
  return {
    zeros: g.op("ConstantOfShape", [g.op("Shape", [keys])]),
    add(b, sum, x, { firstKey, end }) {
      return { next: b.op("Add", [sum, padKeys(b, x, firstKey, b.op("Sub", [length, end]))]), finished: [] };
    },
    total: (sum) => sum,
  };
}

/**
 * Blocks see no key that is more than a window away: the sum covers the `reach` keys before a block and the block's own, and
 * moves on with the blocks. What it leaves behind is finished. So each block's work is that of its window.
 */
export function slidingSums(g: Graph, window: number, { keys, length, count, rows }: KeySumShape): KeySums {
  const last = g.op("Mul", [g.op("Sub", [count, g.ints(1)]), g.ints(rows)]);
  const reach = g.op("Min", [g.ints(rows * Math.ceil((window - 1) / rows)), last]);
  const width = g.op("Add", [reach, g.ints(rows)]);
  const dims = (start: number, end: number) => g.op("Shape", [keys], { start, end });
  const shape = g.op("Concat", [dims(0, 2), width, dims(3, 4)], { axis: 0 });
  return {
    zeros: g.op("ConstantOfShape", [shape]),
    add(b, sum, x, { start, firstKey, end }) {
      const [none, own, axis] = [b.ints(0), b.ints(rows), b.ints(2)];
      const before = b.op("Sub", [reach, b.op("Sub", [start, firstKey])]);
      const after = b.op("Sub", [b.op("Add", [start, own]), end]);
      const added = b.op("Add", [sum, padKeys(b, x, before, after)]);
      return {
        next: padKeys(b, b.op("Slice", [added, own, width, axis]), none, own),
        finished: [b.op("Slice", [added, none, own, axis])],
      };
    },
    /** Block i has finished the keys from i · rows − reach on. */
    total(sum, [finished]) {
      const axis = g.ints(2);
      const inOrder = g.op("Transpose", [finished], { perm: [1, 2, 0, 3, 4] });
      const joined = g.op("Reshape", [inOrder, g.op("Concat", [dims(0, 2), g.ints(-1), dims(3, 4)], { axis: 0 })]);
      const rest = g.op("Slice", [sum, g.ints(0), reach, axis]);
      const all = g.op("Concat", [joined, rest], { axis: 2 });
      return g.op("Slice", [all, reach, g.op("Add", [reach, length]), axis]);
    },
  };
}

/** Zeros before and behind the keys of [B, kvHeads, keys, headDim]. */
function padKeys(g: Graph, x: Ref, before: Ref, after: Ref): Ref {
  const zero = g.ints(0);
  return g.op("Pad", [x, g.op("Concat", [zero, zero, before, zero, zero, zero, after, zero], { axis: 0 })]);
}
