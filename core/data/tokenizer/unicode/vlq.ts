const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const VALUES = new Uint8Array(128);
for (let i = 0; i < DIGITS.length; i++) VALUES[DIGITS.charCodeAt(i)] = i;

/** Reads the numbers of `tables.ts`: base 32 digits, lowest first, all but the last of a number with the sixth bit set. */
export class VlqReader {
  private at = 0;

  constructor(private readonly text: string) {}

  get done(): boolean {
    return this.at >= this.text.length;
  }

  /** One digit, as its place in the alphabet. */
  letter(): number {
    return VALUES[this.text.charCodeAt(this.at++)];
  }

  number(): number {
    let value = 0;
    for (let shift = 0; ; shift += 5) {
      const digit = this.letter();
      value |= (digit & 31) << shift;
      if (digit < 32) return value;
    }
  }

  signed(): number {
    const value = this.number();
    return value & 1 ? -(value >> 1) : value >> 1;
  }
}
