import { VlqReader } from "./vlq.js";

const END = 0x110000;

/** An immutable set of code points, kept as an inversion list: members lie from every even bound up to the next odd one. */
export class CodePointSet {
  static readonly EMPTY = new CodePointSet([]);
  static readonly ALL = new CodePointSet([0, END]);

  private constructor(private readonly bounds: readonly number[]) {}

  /** @param ranges first and last code point of each range, in any order, overlapping or not. */
  static of(...ranges: readonly (readonly [number, number])[]): CodePointSet {
    const bounds: number[] = [];
    for (const [first, last] of [...ranges].sort((a, b) => a[0] - b[0])) {
      const end = bounds.at(-1);
      if (end !== undefined && first <= end) bounds[bounds.length - 1] = Math.max(end, last + 1);
      else bounds.push(first, last + 1);
    }
    return new CodePointSet(bounds);
  }

  /** Alternating lengths, outside first, as `tables.ts` holds them. */
  static decode(lengths: string): CodePointSet {
    const bounds: number[] = [];
    const reader = new VlqReader(lengths);
    for (let at = 0; !reader.done; ) {
      at += reader.number();
      bounds.push(at);
    }
    return new CodePointSet(bounds);
  }

  static filter(test: (code: number) => boolean): CodePointSet {
    const bounds: number[] = [];
    for (let code = 0, inside = false; code < END; code++) {
      if (test(code) === inside) continue;
      bounds.push(code);
      inside = !inside;
    }
    if (bounds.length % 2 === 1) bounds.push(END);
    return new CodePointSet(bounds);
  }

  has(code: number): boolean {
    let [low, high] = [0, this.bounds.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.bounds[middle] <= code) low = middle + 1;
      else high = middle;
    }
    return low % 2 === 1;
  }

  union(other: CodePointSet): CodePointSet {
    return CodePointSet.of(...this.ranges(), ...other.ranges());
  }

  complement(): CodePointSet {
    const bounds = this.bounds[0] === 0 ? this.bounds.slice(1) : [0, ...this.bounds];
    return new CodePointSet(bounds.at(-1) === END ? bounds.slice(0, -1) : [...bounds, END]);
  }

  intersection(other: CodePointSet): CodePointSet {
    return this.complement().union(other.complement()).complement();
  }

  /** First and last code point of every range, ascending. */
  ranges(): [number, number][] {
    const pairs: [number, number][] = [];
    for (let i = 0; i < this.bounds.length; i += 2) pairs.push([this.bounds[i], this.bounds[i + 1] - 1]);
    return pairs;
  }

  /** A character class of a JavaScript pattern with the `u` flag. */
  toPattern(): string {
    const point = (code: number) => `\\u{${code.toString(16)}}`;
    return `[${this.ranges()
      .map(([first, last]) => (first === last ? point(first) : `${point(first)}-${point(last)}`))
      .join("")}]`;
  }
}
