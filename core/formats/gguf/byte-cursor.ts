/** Thrown when the bytes at hand end too early; `needed` is how many would have been enough for the failed read. */
export class NeedMoreBytes {
  constructor(readonly needed: number) {}
}

/** Sequential little-endian reads over a prefix of a file. */
export class ByteCursor {
  position = 0;
  private readonly view: DataView;

  constructor(private readonly bytes: Uint8Array) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  u8 = (): number => this.view.getUint8(this.advance(1));
  i8 = (): number => this.view.getInt8(this.advance(1));
  u16 = (): number => this.view.getUint16(this.advance(2), true);
  i16 = (): number => this.view.getInt16(this.advance(2), true);
  u32 = (): number => this.view.getUint32(this.advance(4), true);
  i32 = (): number => this.view.getInt32(this.advance(4), true);
  f32 = (): number => this.view.getFloat32(this.advance(4), true);
  f64 = (): number => this.view.getFloat64(this.advance(8), true);
  /** A number when it is exact, else a BigInt. */
  u64 = (): number | bigint => exactly(this.view.getBigUint64(this.advance(8), true));
  i64 = (): number | bigint => exactly(this.view.getBigInt64(this.advance(8), true));

  /** Invalid UTF-8 becomes U+FFFD; a byte order mark is kept, for it may be a token. */
  utf8(length: number): string {
    const start = this.advance(length);
    return Buffer.from(this.bytes.buffer, this.bytes.byteOffset + start, length).toString("utf8");
  }

  private advance(length: number): number {
    const start = this.position;
    if (start + length > this.bytes.length) throw new NeedMoreBytes(start + length);
    this.position = start + length;
    return start;
  }
}

function exactly(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
