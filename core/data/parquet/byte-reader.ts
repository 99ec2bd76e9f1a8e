/** Walks over bytes that are not trusted: whatever would lie outside is an error. */
export class ByteReader {
  constructor(
    readonly bytes: Uint8Array,
    public at = 0,
    readonly end = bytes.length,
  ) {}

  get left(): number {
    return this.end - this.at;
  }

  u8(): number {
    this.skip(1);
    return this.bytes[this.at - 1];
  }

  u32(): number {
    return this.u8() + this.u8() * 2 ** 8 + this.u8() * 2 ** 16 + this.u8() * 2 ** 24;
  }

  skip(count: number): void {
    if (!(count >= 0 && count <= this.left)) throw new Error(`${count} bytes are claimed where ${this.left} are left`);
    this.at += count;
  }

  /** A variable-length integer of at most `bits` bits. */
  varint(bits: 32 | 64): number {
    let value = 0;
    for (let shift = 0; shift < bits; shift += 7) {
      const byte = this.u8();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw new Error(`a number of more than ${bits} bits`);
  }

  /** The next bytes as a reader of their own. */
  part(length: number): ByteReader {
    const start = this.at;
    this.skip(length);
    return new ByteReader(this.bytes, start, this.at);
  }
}
