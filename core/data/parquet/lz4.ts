import { ByteReader } from "./byte-reader.js";

/** A block of LZ4, of exactly `size` bytes once decompressed. */
export function lz4Block(input: ByteReader, size: number): Uint8Array {
  const out = new Uint8Array(size);
  let at = 0;
  while (input.left > 0) {
    const token = input.u8();
    const literals = longLength(input, token >> 4);
    if (literals > size - at) throw tooLong(size);
    const { at: start } = input;
    input.skip(literals);
    out.set(input.bytes.subarray(start, start + literals), at);
    at += literals;
    if (input.left === 0) break;
    const offset = input.u8() + input.u8() * 256;
    const length = longLength(input, token & 15) + 4;
    if (offset === 0 || offset > at) throw new Error("an LZ4 block refers to bytes before its beginning");
    if (length > size - at) throw tooLong(size);
    // The two ranges may overlap: the copy repeats what it has written.
    for (let i = 0; i < length; i++, at++) out[at] = out[at - offset];
  }
  if (at !== size) throw new Error(`an LZ4 block of ${at} bytes where ${size} are claimed`);
  return out;
}

/** The older framing (Hadoop's): blocks, each with its two sizes in front; some writers leave them out. */
export function lz4Framed(input: Uint8Array, size: number): Uint8Array {
  const frames = framesOf(input, size);
  if (!frames) return lz4Block(new ByteReader(input), size);
  return Buffer.concat(frames.map(({ block, size: own }) => lz4Block(block, own)));
}

/** Null when the sizes do not fit: then they are none. */
function framesOf(input: Uint8Array, size: number): { readonly block: ByteReader; readonly size: number }[] | null {
  const reader = new ByteReader(input);
  const view = new DataView(input.buffer, input.byteOffset, input.byteLength);
  const frames = [];
  let total = 0;
  while (reader.left >= 8) {
    const own = view.getUint32(reader.at);
    const length = view.getUint32(reader.at + 4);
    total += own;
    reader.skip(8);
    if (length > reader.left || total > size) return null;
    frames.push({ block: reader.part(length), size: own });
  }
  return reader.left === 0 && total === size ? frames : null;
}

function longLength(input: ByteReader, start: number): number {
  let length = start;
  if (start === 15) {
    for (let byte = 255; byte === 255; length += byte) byte = input.u8();
  }
  return length;
}

function tooLong(size: number): Error {
  return new Error(`an LZ4 block of more than the ${size} bytes that are claimed`);
}
