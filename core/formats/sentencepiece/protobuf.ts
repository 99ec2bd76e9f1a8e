/** One field of a protocol buffer message: its number, and what was written. */
export interface ProtoField {
  readonly field: number;
  /** A varint's value, or the bytes of what has a length, or of a fixed number. */
  readonly value: number | Uint8Array;
}

/** Bytes that are no message, or not the one that was expected. */
export class NotAMessage extends Error {}

/** Reads a message field by field (https://protobuf.dev/programming-guides/encoding/). Throws {@link NotAMessage} for what is none. */
export function* protoFields(bytes: Uint8Array): Generator<ProtoField> {
  const reader = new WireReader(bytes);
  while (!reader.done) {
    const tag = reader.varint();
    const field = Math.floor(tag / 8);
    switch (tag % 8) {
      case 0:
        yield { field, value: reader.varint() };
        break;
      case 1:
        yield { field, value: reader.bytes(8) };
        break;
      case 2:
        yield { field, value: reader.bytes(reader.varint()) };
        break;
      case 5:
        yield { field, value: reader.bytes(4) };
        break;
      default:
        throw new NotAMessage(`a field of wire type ${tag % 8}`);
    }
  }
}

class WireReader {
  private at = 0;

  constructor(private readonly data: Uint8Array) {}

  get done(): boolean {
    return this.at >= this.data.length;
  }

  /** Negative numbers take ten bytes; they come out as huge ones, which no field here may be. */
  varint(): number {
    let value = 0;
    for (let scale = 1, length = 0; length < 10; scale *= 128, length++) {
      if (this.done) throw new NotAMessage("a number that is cut off");
      const byte = this.data[this.at++];
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
    throw new NotAMessage("a number of more than ten bytes");
  }

  bytes(length: number): Uint8Array {
    if (length > this.data.length - this.at) throw new NotAMessage("a text that is cut off");
    const start = this.at;
    this.at += length;
    return this.data.subarray(start, this.at);
  }
}
