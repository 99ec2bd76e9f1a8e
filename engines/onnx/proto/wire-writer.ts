/**
 * Protocol Buffers wire format, the write side only. Byte fields are kept as references until `finish`, so that a model
 * with gigabytes of initializers is copied once.
 */
export class WireWriter {
  private readonly parts: Uint8Array[] = [];
  private scratch = new Uint8Array(new ArrayBuffer(256));
  private used = 0;
  private length = 0;

  /** int32, int64, uint64, enum, bool. Negative numbers take ten bytes, as the format demands. */
  varintField(field: number, value: number | bigint): void {
    this.varint(field * 8);
    this.varint(value);
  }

  floatField(field: number, value: number): void {
    this.varint(field * 8 + 5);
    const bytes = this.reserve(4);
    new DataView(bytes.buffer, bytes.byteOffset, 4).setFloat32(0, value, true);
  }

  stringField(field: number, text: string): void {
    this.bytesField(field, encoder.encode(text));
  }

  bytesField(field: number, bytes: Uint8Array): void {
    this.varint(field * 8 + 2);
    this.varint(bytes.length);
    this.append(bytes);
  }

  /** A nested message, written by `body`. */
  messageField(field: number, body: (writer: WireWriter) => void): void {
    const nested = new WireWriter();
    body(nested);
    nested.flush();
    this.varint(field * 8 + 2);
    this.varint(nested.length);
    this.flush();
    for (const part of nested.parts) this.parts.push(part);
    this.length += nested.length;
  }

  finish(): Uint8Array {
    this.flush();
    const out = new Uint8Array(new ArrayBuffer(this.length));
    let at = 0;
    for (const part of this.parts) {
      out.set(part, at);
      at += part.length;
    }
    return out;
  }

  private varint(value: number | bigint): void {
    if (typeof value === "number" && value >= 0 && value < 2 ** 31) {
      const bytes = this.reserve(value < 128 ? 1 : Math.ceil((32 - Math.clz32(value)) / 7));
      for (let i = 0; i < bytes.length; i++) {
        bytes[i] = (value & 127) | (i + 1 < bytes.length ? 128 : 0);
        value >>>= 7;
      }
      return;
    }
    const bytes: number[] = [];
    let rest = BigInt.asUintN(64, BigInt(value));
    for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
    bytes.push(Number(rest));
    this.reserve(bytes.length).set(bytes);
  }

  /** Room for a few bytes in the scratch block. */
  private reserve(count: number): Uint8Array {
    if (this.used + count > this.scratch.length) this.flush();
    this.length += count;
    this.used += count;
    return this.scratch.subarray(this.used - count, this.used);
  }

  private append(bytes: Uint8Array): void {
    if (bytes.length <= 64) {
      this.reserve(bytes.length).set(bytes);
      return;
    }
    this.flush();
    this.parts.push(bytes);
    this.length += bytes.length;
  }

  private flush(): void {
    if (this.used === 0) return;
    this.parts.push(this.scratch.subarray(0, this.used));
    this.scratch = new Uint8Array(new ArrayBuffer(256));
    this.used = 0;
  }
}

const encoder = new TextEncoder();
