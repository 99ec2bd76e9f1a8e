/** The few parts of Protocol Buffers' wire format that events are made of. */

const WIRE = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

/** A message; fields are written in the order of the calls. */
export class Message {
  readonly #parts: Buffer[] = [];

  /** int32, int64, bool or enum; not negative. */
  int(field: number, value: number): this {
    this.#parts.push(varint(field * 8 + WIRE.varint), varint(value));
    return this;
  }

  double(field: number, value: number): this {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleLE(value);
    this.#parts.push(varint(field * 8 + WIRE.fixed64), bytes);
    return this;
  }

  float(field: number, value: number): this {
    const bytes = Buffer.alloc(4);
    bytes.writeFloatLE(value);
    this.#parts.push(varint(field * 8 + WIRE.fixed32), bytes);
    return this;
  }

  text(field: number, value: string): this {
    return this.bytes(field, Buffer.from(value));
  }

  message(field: number, value: Message): this {
    return this.bytes(field, value.encode());
  }

  bytes(field: number, value: Buffer): this {
    this.#parts.push(varint(field * 8 + WIRE.bytes), varint(value.length), value);
    return this;
  }

  encode(): Buffer {
    return Buffer.concat(this.#parts);
  }
}

/** Of a varint the lowest 53 bits; 64-bit numbers as bytes. */
export interface Field {
  readonly number: number;
  readonly value: number | Buffer;
}

/** The fields of an encoded message; what is no message throws a RangeError. */
export function* fieldsOf(bytes: Buffer): Generator<Field> {
  let at = 0;
  const readVarint = () => {
    let value = 0;
    for (let shift = 1; ; shift *= 128) {
      const byte = bytes.readUInt8(at++);
      if (shift <= 2 ** 42) value += (byte & 0x7f) * shift;
      if (byte < 128) return value;
    }
  };
  const take = (length: number) => {
    if (at + length > bytes.length) throw new RangeError("a field is longer than its message");
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const tag = readVarint();
    const number = Math.floor(tag / 8);
    const wire = tag % 8;
    if (wire === WIRE.varint) yield { number, value: readVarint() };
    else if (wire === WIRE.fixed64) yield { number, value: take(8) };
    else if (wire === WIRE.bytes) yield { number, value: take(readVarint()) };
    else if (wire === WIRE.fixed32) yield { number, value: take(4) };
    else throw new RangeError(`a field has the wire type ${wire}`);
  }
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 128) {
    bytes.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  bytes.push(rest);
  return Buffer.from(bytes);
}
