/**
 * Counter-based random numbers: Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC'11).
 * A number depends only on its key and its counter, so draws do not depend on who else drew what, or when.
 */

/** 32-bit key half from any text, e.g. a trajectory id (FNV-1a with a final mix). */
export function hashText(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    h ^= text.charCodeAt(i);
    h = Math.imul(h, 0x01000193);
  }
  h ^= h >>> 16;
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  return h >>> 0;
}

/** Four 32-bit words for (key0, key1) and a counter of up to four 32-bit words. */
export function philox(
  key0: number,
  key1: number,
  c0: number,
  c1 = 0,
  c2 = 0,
  c3 = 0,
): readonly [number, number, number, number] {
  let [k0, k1] = [key0 >>> 0, key1 >>> 0];
  let [x0, x1, x2, x3] = [c0 >>> 0, c1 >>> 0, c2 >>> 0, c3 >>> 0];
  for (let round = 0; round < 10; round++) {
    const hi0 = mulHigh(0xd2511f53, x0);
    const lo0 = Math.imul(0xd2511f53, x0);
    const hi1 = mulHigh(0xcd9e8d57, x2);
    const lo1 = Math.imul(0xcd9e8d57, x2);
    [x0, x1, x2, x3] = [(hi1 ^ x1 ^ k0) >>> 0, lo1 >>> 0, (hi0 ^ x3 ^ k1) >>> 0, lo0 >>> 0];
    k0 = (k0 + 0x9e3779b9) >>> 0;
    k1 = (k1 + 0xbb67ae85) >>> 0;
  }
  return [x0, x1, x2, x3];
}

/** Uniform in [0, 1) with 53 bits, for (seed, stream, position). Streams are texts or numbers. */
export function uniformAt(seed: number, stream: string | number, position: number): number {
  const key1 = typeof stream === "string" ? hashText(stream) : stream;
  const [a, b] = philox(seed, key1, position, Math.floor(position / 2 ** 32));
  return ((a >>> 5) * 67108864 + (b >>> 6)) / 9007199254740992;
}

/** A sequential generator over one stream; its whole state is `position`. */
export class RandomStream {
  constructor(
    readonly seed: number,
    readonly stream: string | number,
    public position = 0,
  ) {}

  /** Uniform in [0, 1). */
  next(): number {
    return uniformAt(this.seed, this.stream, this.position++);
  }

  /** Uniform integer in [0, n). */
  int(n: number): number {
    return Math.floor(this.next() * n);
  }

  /** Standard normal (Box–Muller; uses two draws). */
  normal(): number {
    const u = 1 - this.next();
    return Math.sqrt(-2 * Math.log(u)) * Math.cos(2 * Math.PI * this.next());
  }

  /** Fisher–Yates on a copy. */
  shuffled<T>(items: readonly T[]): T[] {
    const out = [...items];
    for (let i = out.length - 1; i > 0; i--) {
      const j = this.int(i + 1);
      [out[i], out[j]] = [out[j], out[i]];
    }
    return out;
  }
}

function mulHigh(a: number, b: number): number {
  const [ah, al, bh, bl] = [a >>> 16, a & 0xffff, b >>> 16, b & 0xffff];
  const mid = ah * bl + ((al * bl) >>> 16);
  const mid2 = al * bh + (mid % 65536);
  return (ah * bh + Math.floor(mid / 65536) + Math.floor(mid2 / 65536)) >>> 0;
}
