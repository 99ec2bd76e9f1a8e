import { readdir, readFile } from "node:fs/promises";
import path from "node:path";

/**
 * A reader of TensorBoard's event files, written apart from the writer: from the descriptions of the formats alone.
 */

/** What a file says, as far as the tests want to know. */
export interface ReadEvent {
  readonly wallTime: number;
  readonly step: number;
  readonly fileVersion?: string;
  readonly values: readonly ReadValue[];
}

export interface ReadValue {
  readonly tag: string;
  readonly scalar?: number;
  readonly plugin?: string;
  /** Rows of a tensor of texts. */
  readonly shape?: readonly number[];
  readonly texts?: readonly string[];
  /** The plugin's own data. */
  readonly content?: Wire;
}

/** Of every event file of a folder, in the order in which TensorBoard takes them. */
export async function readEvents(folder: string): Promise<ReadEvent[]> {
  const names = (await readdir(folder)).filter((name) => name.includes("tfevents")).sort();
  const files = await Promise.all(names.map((name) => readFile(path.join(folder, name))));
  return files.flatMap((bytes) => [...payloads(bytes)].map(event));
}

/** Every scalar as `[tag, step, value]`. */
export const scalarsOf = (events: readonly ReadEvent[]): [string, number, number][] =>
  events.flatMap(({ step, values }) =>
    values.flatMap(({ tag, scalar }): [string, number, number][] =>
      scalar === undefined ? [] : [[tag, step, scalar]],
    ),
  );

function* payloads(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; ) {
    const size = Number(bytes.readBigUInt64LE(at));
    check(bytes.subarray(at, at + 8), bytes.readUInt32LE(at + 8));
    const data = bytes.subarray(at + 12, at + 12 + size);
    check(data, bytes.readUInt32LE(at + 12 + size));
    yield data;
    at += 16 + size;
  }
}

/** Bit by bit, as polynomial division. */
function check(data: Buffer, expected: number): void {
  let crc = 0xffffffffn;
  for (const byte of data) {
    crc ^= BigInt(byte);
    for (let bit = 0; bit < 8; bit++) crc = crc % 2n === 1n ? (crc / 2n) ^ 0x82f63b78n : crc / 2n;
  }
  crc ^= 0xffffffffn;
  const turned = (crc / 2n ** 15n) | ((crc * 2n ** 17n) % 2n ** 32n);
  if (Number((turned + 0xa282ead8n) % 2n ** 32n) !== expected) throw new Error("a checksum is wrong");
}

/** Field number → values; nested messages stay bytes. */
export type Wire = ReadonlyMap<number, readonly (bigint | Buffer)[]>;

export function wire(bytes: Buffer): Wire {
  const fields = new Map<number, (bigint | Buffer)[]>();
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = BigInt(bytes[at++]);
      value |= (byte & 127n) << shift;
      if (byte < 128n) return value;
    }
  };
  const take = (size: number) => {
    at += size;
    return bytes.subarray(at - size, at);
  };
  while (at < bytes.length) {
    const tag = varint();
    const kind = tag & 7n;
    const value = kind === 0n ? varint() : take(kind === 1n ? 8 : kind === 5n ? 4 : Number(varint()));
    const number = Number(tag >> 3n);
    fields.set(number, [...(fields.get(number) ?? []), value]);
  }
  return fields;
}

const bytesOf = (fields: Wire, number: number): Buffer[] => (fields.get(number) ?? []) as Buffer[];
const textOf = (fields: Wire, number: number): string | undefined => bytesOf(fields, number)[0]?.toString();

function event(bytes: Buffer): ReadEvent {
  const fields = wire(bytes);
  const [summary] = bytesOf(fields, 5);
  return {
    wallTime: bytesOf(fields, 1)[0].readDoubleLE(),
    step: Number(fields.get(2)?.[0] ?? 0),
    fileVersion: textOf(fields, 3),
    values: summary ? bytesOf(wire(summary), 1).map(value) : [],
  };
}

function value(bytes: Buffer): ReadValue {
  const fields = wire(bytes);
  const [tensor] = bytesOf(fields, 8).map(wire);
  const [metadata] = bytesOf(fields, 9).map(wire);
  const [plugin] = metadata ? bytesOf(metadata, 1).map(wire) : [];
  const dimensions = tensor ? bytesOf(wire(bytesOf(tensor, 2)[0]), 2) : [];
  return {
    tag: textOf(fields, 1) ?? "",
    scalar: bytesOf(fields, 2)[0]?.readFloatLE(),
    plugin: plugin && textOf(plugin, 1),
    shape: tensor && dimensions.map((dimension) => Number(wire(dimension).get(1)?.[0] ?? 0)),
    texts: tensor && bytesOf(tensor, 8).map(String),
    content: plugin && bytesOf(plugin, 2).map(wire)[0],
  };
}
