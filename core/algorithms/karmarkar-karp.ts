/**
 * Multi-way number partitioning by largest differencing (Karmarkar & Karp, 1982): split items into k parts whose sums
 * are close. A state is k disjoint sets; the two states of largest spread are merged, biggest set with smallest, until
 * one is left. Ties are broken by item count and first index, so the result is reproducible.
 *
 * O(n·k log k) time; sets are linked lists through one array, so joining them costs nothing.
 */
import { errors } from "./errors.js";

/** One set of a state. Sets are disjoint, so the first item decides between equal sums and counts. */
interface Part {
  readonly sum: number;
  readonly count: number;
  /** First and last item, linked through `next`. */
  readonly head: number;
  readonly tail: number;
}

/** Sets in descending order; the empty ones at the end are left out. */
interface State {
  readonly parts: readonly Part[];
  readonly spread: number;
}

export interface PartitionOptions {
  /** Give every part the same number of items; their number must be a multiple of k. Default false. */
  readonly equalSize?: boolean;
}

/** k lists of indices into `values`, each ascending, none empty; sums (of non-negative values) as equal as they get. */
export function balancedPartitions(values: ArrayLike<number>, k: number, options: PartitionOptions = {}): number[][] {
  const n = values.length;
  checkSizes(n, k, options.equalSize ?? false);
  const next = new Int32Array(n).fill(-1);
  const heap = new StateHeap();
  const single = (i: number): Part => ({ sum: values[i], count: 1, head: i, tail: i });
  if (options.equalSize) {
    const ascending = Array.from({ length: n }, (_, i) => i).sort((i, j) => values[i] - values[j] || i - j);
    for (let at = 0; at < n; at += k) heap.push(stateOf(ascending.slice(at, at + k).map(single), k));
  } else {
    for (let i = 0; i < n; i++) heap.push(stateOf([single(i)], k));
  }
  while (heap.size > 1) heap.push(merge(heap.pop(), heap.pop(), k, next));
  return listParts(heap.pop().parts, k, next);
}

/** Items in the given order, each to the part of smallest sum. Cheaper and worse than {@link balancedPartitions}. */
export function greedyPartition(values: ArrayLike<number>, k: number, options: PartitionOptions = {}): number[][] {
  checkSizes(values.length, k, options.equalSize ?? false);
  // With equal sizes an item weighs so much that the count decides before the sum.
  const bias = options.equalSize ? Array.from(values).reduce((a, b) => a + b, 0) + 1 : 0;
  const parts: number[][] = Array.from({ length: k }, () => []);
  const sums = new Float64Array(k);
  for (let i = 0; i < values.length; i++) {
    let best = 0;
    for (let p = 1; p < k; p++) if (sums[p] < sums[best]) best = p;
    parts[best].push(i);
    sums[best] += values[i] + bias;
  }
  return parts;
}

function checkSizes(n: number, k: number, equalSize: boolean): void {
  if (n < k || k < 1) {
    throw errors.VERL_ALGORITHMS_BAD_VALUE({
      what: `${n} items cannot fill ${k} parts`,
      fix: "Use at most as many parts as items.",
    });
  }
  if (equalSize && n % k !== 0) {
    throw errors.VERL_ALGORITHMS_BAD_VALUE({
      what: `${n} items cannot be split into ${k} parts of equal size`,
      why: `${n} = ${Math.floor(n / k)} × ${k} + ${n % k}`,
    });
  }
}

/** Positive when `a` is the larger set. */
function compareParts(a: Part, b: Part): number {
  return a.sum - b.sum || a.count - b.count || a.head - b.head;
}

function stateOf(parts: Part[], k: number): State {
  parts.sort((a, b) => compareParts(b, a));
  const smallest = parts.length < k ? 0 : parts[parts.length - 1].sum;
  return { parts, spread: parts[0].sum - smallest };
}

function merge(a: State, b: State, k: number, next: Int32Array): State {
  const parts: Part[] = [];
  for (let i = 0; i < k; i++) {
    const [x, y] = [a.parts[i], b.parts[k - 1 - i]];
    if (x && y) {
      next[x.tail] = y.head;
      parts.push({ sum: x.sum + y.sum, count: x.count + y.count, head: x.head, tail: y.tail });
    } else if (x || y) parts.push(x ?? y);
  }
  return stateOf(parts, k);
}

function listParts(parts: readonly Part[], k: number, next: Int32Array): number[][] {
  if (parts.length < k) {
    throw errors.VERL_ALGORITHMS_BAD_VALUE({
      what: `a part stayed empty while balancing over ${k} parts`,
      why: "too many items have the value 0",
    });
  }
  return parts.map(({ head }) => {
    const indices: number[] = [];
    for (let i = head; i >= 0; i = next[i]) indices.push(i);
    return indices.sort((i, j) => i - j);
  });
}

/** Binary heap: largest spread on top, then largest first set. */
class StateHeap {
  private readonly items: State[] = [];

  get size(): number {
    return this.items.length;
  }

  push(state: State): void {
    const { items } = this;
    let at = items.push(state) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!before(items[at], items[parent])) break;
      [items[at], items[parent]] = [items[parent], items[at]];
      at = parent;
    }
  }

  pop(): State {
    const { items } = this;
    const top = items[0];
    const last = items.pop()!;
    if (items.length > 0) {
      items[0] = last;
      for (let at = 0; ; ) {
        let best = at;
        for (const child of [2 * at + 1, 2 * at + 2]) {
          if (child < items.length && before(items[child], items[best])) best = child;
        }
        if (best === at) break;
        [items[at], items[best]] = [items[best], items[at]];
        at = best;
      }
    }
    return top;
  }
}

function before(a: State, b: State): boolean {
  return a.spread !== b.spread ? a.spread > b.spread : compareParts(a.parts[0], b.parts[0]) > 0;
}
