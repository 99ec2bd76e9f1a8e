/**
 * NumPy's legacy generator (MT19937; Matsumoto & Nishimura, 1998), for reproducing the reference's bootstrap draws. All
 * randomness of our own is counter-based, see `core/data/random.ts`.
 */
export class NumpyRandom {
  private readonly state = new Uint32Array(624);
  private position = 624;

  /** `np.random.seed(seed)` with a 32-bit seed. */
  constructor(seed: number) {
    const s = this.state;
    s[0] = seed >>> 0;
    for (let i = 1; i < 624; i++) s[i] = Math.imul(1812433253, s[i - 1] ^ (s[i - 1] >>> 30)) + i;
  }

  /** 32 random bits. */
  uint32(): number {
    if (this.position === 624) this.refill();
    let y = this.state[this.position++];
    y ^= y >>> 11;
    y ^= (y << 7) & 0x9d2c5680;
    y ^= (y << 15) & 0xefc60000;
    return (y ^ (y >>> 18)) >>> 0;
  }

  /** `np.random.choice(n, size, replace=True)`: masked rejection. */
  choice(n: number, size: number): number[] {
    return Array.from({ length: size }, () => this.below(n - 1));
  }

  /** An integer from 0 to `largest`, by masked rejection. */
  private below(largest: number): number {
    if (largest === 0) return 0;
    let mask = largest;
    for (const shift of [1, 2, 4, 8, 16]) mask |= mask >>> shift;
    for (;;) {
      const value = (this.uint32() & mask) >>> 0;
      if (value <= largest) return value;
    }
  }

  /** `np.random.shuffle` of a list, in place. */
  shuffle<T>(items: T[]): T[] {
    for (let i = items.length - 1; i > 0; i--) {
      const j = this.below(i);
      [items[i], items[j]] = [items[j], items[i]];
    }
    return items;
  }

  private refill(): void {
    const s = this.state;
    for (let i = 0; i < 624; i++) {
      const y = (s[i] & 0x80000000) | (s[(i + 1) % 624] & 0x7fffffff);
      s[i] = s[(i + 397) % 624] ^ (y >>> 1) ^ (y & 1 ? 0x9908b0df : 0);
    }
    this.position = 0;
  }
}
