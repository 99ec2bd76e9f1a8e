/** A heap of pairs of neighbours that may merge: lowest rank first, then leftmost. */
export class MergeQueue {
  private ranks: Int32Array;
  private positions: Int32Array;
  private size = 0;

  constructor(capacity: number) {
    this.ranks = new Int32Array(capacity);
    this.positions = new Int32Array(capacity);
  }

  get isEmpty(): boolean {
    return this.size === 0;
  }

  push(rank: number, position: number): void {
    if (this.size === this.ranks.length) this.grow();
    let hole = this.size++;
    while (hole > 0) {
      const parent = (hole - 1) >> 1;
      if (!this.before(rank, position, parent)) break;
      this.move(parent, hole);
      hole = parent;
    }
    this.put(hole, rank, position);
  }

  /** The first pair, which must be there. */
  pop(): { rank: number; position: number } {
    const first = { rank: this.ranks[0], position: this.positions[0] };
    const [rank, position] = [this.ranks[--this.size], this.positions[this.size]];
    let hole = 0;
    for (let child = 1; child < this.size; child = 2 * hole + 1) {
      if (child + 1 < this.size && this.before(this.ranks[child + 1], this.positions[child + 1], child)) child++;
      if (this.before(rank, position, child)) break;
      this.move(child, hole);
      hole = child;
    }
    this.put(hole, rank, position);
    return first;
  }

  private before(rank: number, position: number, other: number): boolean {
    return rank < this.ranks[other] || (rank === this.ranks[other] && position < this.positions[other]);
  }

  private move(from: number, to: number): void {
    this.put(to, this.ranks[from], this.positions[from]);
  }

  private put(at: number, rank: number, position: number): void {
    this.ranks[at] = rank;
    this.positions[at] = position;
  }

  private grow(): void {
    const longer = (old: Int32Array) => {
      const array = new Int32Array(2 * old.length + 8);
      array.set(old);
      return array;
    };
    this.ranks = longer(this.ranks);
    this.positions = longer(this.positions);
  }
}
