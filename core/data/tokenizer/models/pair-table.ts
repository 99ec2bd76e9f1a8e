/** A map from pairs of token ids to numbers; an open-addressing table, far smaller than a `Map` of hundreds of thousands. */
export class PairTable {
  private readonly mask: number;
  private readonly lefts: Int32Array;
  private readonly rights: Int32Array;
  private readonly values: Int32Array;

  /** @param capacity how many pairs will be set at most. */
  constructor(capacity: number) {
    const slots = 2 ** Math.ceil(Math.log2(2 * capacity + 2));
    this.mask = slots - 1;
    this.lefts = new Int32Array(slots).fill(-1);
    this.rights = new Int32Array(slots);
    this.values = new Int32Array(slots);
  }

  set(left: number, right: number, value: number): void {
    const slot = this.slot(left, right);
    this.lefts[slot] = left;
    this.rights[slot] = right;
    this.values[slot] = value;
  }

  /** −1 for a pair that was not set. */
  get(left: number, right: number): number {
    const slot = this.slot(left, right);
    return this.lefts[slot] === -1 ? -1 : this.values[slot];
  }

  private slot(left: number, right: number): number {
    const { mask, lefts, rights } = this;
    let hash = Math.imul(left, 0x9e3779b1) ^ Math.imul(right, 0x85ebca6b);
    hash ^= hash >>> 15;
    let slot = hash & mask;
    while (lefts[slot] !== -1 && (lefts[slot] !== left || rights[slot] !== right)) slot = (slot + 1) & mask;
    return slot;
  }
}
