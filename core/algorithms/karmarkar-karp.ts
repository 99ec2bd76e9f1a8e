/**
 * Multi-way number partitioning by largest differencing (Karmarkar & Karp, 1982): split items into k parts whose sums
 * are close. A state is k disjoint sets; the two states of largest spread are merged, biggest set with smallest, until
 * one is left. Ties are broken by item count and first index, so the result is reproducible.
 *
 * O(n·k log k) time. Sets live in flat arrays by their first item and are linked lists through one array, so joining them
 * costs nothing.
 */
import { errors } from "./errors.js";
import { indices, sortByKey } from "./sort-by-key.js";

/** Sets in descending order, by their first item; the empty ones at the end are left out. */
interface State {
  readonly sets: Int32Array;
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
  const sets = new Sets(values, k);
  const heap = new StateHeap(sets);
  if (options.equalSize) {
    const ascending = sortByKey(indices(n), sets.sum);
    for (let at = 0; at < n; at += k) heap.push(sets.stateOf(ascending.slice(at, at + k)));
  } else {
    for (let i = 0; i < n; i++) heap.push({ sets: Int32Array.of(i), spread: k > 1 ? sets.sum[i] : 0 });
  }
  while (heap.size > 1) heap.push(sets.merge(heap.pop(), heap.pop()));
  return sets.list(heap.pop());
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

/** Disjoint sets of items, each known by its first item. */
class Sets {
  readonly sum: Float64Array;
  private readonly count: Int32Array;
  private readonly last: Int32Array;
  private readonly next: Int32Array;
  private readonly scratch: Int32Array;

  constructor(
    values: ArrayLike<number>,
    private readonly k: number,
  ) {
    this.sum = new Float64Array(values);
    this.count = new Int32Array(values.length).fill(1);
    this.last = indices(values.length);
    this.next = new Int32Array(values.length).fill(-1);
    this.scratch = new Int32Array(k);
  }

  isLarger(a: number, b: number): boolean {
    return this.sum[a] !== this.sum[b] ? this.sum[a] > this.sum[b] : this.hasMore(a, b);
  }

  /** Which of two sets of equal sum is the larger one. */
  private readonly hasMore = (a: number, b: number): boolean =>
    this.count[a] !== this.count[b] ? this.count[a] > this.count[b] : a > b;

  stateOf(sets: Int32Array): State {
    sortByKey(sets, this.sum, (a, b) => this.hasMore(b, a), this.scratch).reverse();
    const smallest = sets.length < this.k ? 0 : this.sum[sets[sets.length - 1]];
    return { sets, spread: this.sum[sets[0]] - smallest };
  }

  merge(a: State, b: State): State {
    const { k, sum, count, last, next } = this;
    const merged = new Int32Array(Math.min(k, a.sets.length + b.sets.length));
    let size = 0;
    for (let i = 0; i < k; i++) {
      const j = k - 1 - i;
      if (i >= a.sets.length && j >= b.sets.length) continue;
      const x = i < a.sets.length ? a.sets[i] : b.sets[j];
      merged[size++] = x;
      if (i >= a.sets.length || j >= b.sets.length) continue;
      const y = b.sets[j];
      next[last[x]] = y;
      last[x] = last[y];
      sum[x] += sum[y];
      count[x] += count[y];
    }
    return this.stateOf(merged);
  }

  list({ sets }: State): number[][] {
    if (sets.length < this.k) {
      throw errors.VERL_ALGORITHMS_BAD_VALUE({
        what: `a part stayed empty while balancing over ${this.k} parts`,
        why: "too many items have the value 0",
      });
    }
    const part = new Int32Array(this.next.length);
    sets.forEach((first, p) => {
      for (let i = first; i >= 0; i = this.next[i]) part[i] = p;
    });
    const parts: number[][] = Array.from(sets, () => []);
    for (let i = 0; i < part.length; i++) parts[part[i]].push(i);
    return parts;
  }
}

/** Binary heap: largest spread on top, then largest first set. */
class StateHeap {
  private readonly items: State[] = [];

  constructor(private readonly sets: Sets) {}

  get size(): number {
    return this.items.length;
  }

  push(state: State): void {
    const { items } = this;
    let at = items.push(state) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.before(items[at], items[parent])) break;
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
          if (child < items.length && this.before(items[child], items[best])) best = child;
        }
        if (best === at) break;
        [items[at], items[best]] = [items[best], items[at]];
        at = best;
      }
    }
    return top;
  }

  private before(a: State, b: State): boolean {
    return a.spread !== b.spread ? a.spread > b.spread : this.sets.isLarger(a.sets[0], b.sets[0]);
  }
}
