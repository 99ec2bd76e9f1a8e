import type { ByteReader } from "./byte-reader.js";

/**
 * Checks of encoded values, so that a decoder that follows what they claim ends, and inside its arrays. Each moves the reader
 * behind what it has checked.
 */

/** What a run-length encoded sequence holds. */
export interface Runs {
  readonly largest: number;
  /** How often `counted` occurs. */
  readonly occurrences: number;
}

/** `count` integers of `width` bits in runs: one value many times, or groups of eight, bit by bit. */
export function checkRuns(reader: ByteReader, width: number, count: number, counted: number): Runs {
  if (width > 32) throw new Error(`integers of ${width} bits`);
  let [largest, occurrences] = [0, 0];
  for (let left = count; left > 0; ) {
    const head = reader.varint(32);
    const length = Math.floor(head / 2);
    if (head % 2 === 0) {
      if (length > left) throw new Error(`a run claims ${length} values where ${left} are left`);
      const value = littleEndian(reader, Math.ceil(width / 8));
      if (length > 0) largest = Math.max(largest, value);
      if (value === counted) occurrences += length;
      left -= length;
    } else {
      if (length > Math.ceil(left / 8)) throw new Error(`a run claims ${8 * length} values where ${left} are left`);
      const packed = reader.part(length * width);
      const values = Math.min(left, 8 * length);
      for (let i = 0; i < values; i++) {
        const value = bitsAt(packed, i * width, width);
        largest = Math.max(largest, value);
        if (value === counted) occurrences++;
      }
      left -= values;
    }
  }
  return { largest, occurrences };
}

function littleEndian(reader: ByteReader, bytes: number): number {
  let value = 0;
  for (let i = 0; i < bytes; i++) value += reader.u8() * 2 ** (8 * i);
  return value;
}

function bitsAt({ bytes, at }: ByteReader, bit: number, width: number): number {
  let value = 0;
  for (let got = 0; got < width; ) {
    const offset = (bit + got) % 8;
    const taken = Math.min(8 - offset, width - got);
    value += ((bytes[at + Math.floor((bit + got) / 8)] >> offset) & ((1 << taken) - 1)) * 2 ** got;
    got += taken;
  }
  return value;
}

/** `count` integers as differences, in blocks of miniblocks (DELTA_BINARY_PACKED). */
export function checkDeltas(reader: ByteReader, count: number): void {
  const blockValues = reader.varint(32);
  const miniblocks = reader.varint(32);
  const miniblockValues = blockValues / miniblocks;
  if (miniblocks === 0 || miniblockValues === 0 || miniblockValues % 32 !== 0) {
    throw new Error(`blocks of ${blockValues} values in ${miniblocks} parts`);
  }
  reader.varint(32);
  reader.varint(64);
  for (let left = count - 1; left > 0; ) {
    reader.varint(64);
    const widths = reader.part(miniblocks);
    for (let i = 0; i < miniblocks && left > 0; i++) {
      const width = widths.u8();
      if (width > 64) throw new Error(`differences of ${width} bits`);
      const bytes = (miniblockValues * width) / 8;
      // The last miniblock may be cut behind its last value.
      const needed = Math.ceil((Math.min(left, miniblockValues) * width) / 8);
      reader.skip(left <= miniblockValues ? Math.min(bytes, Math.max(needed, reader.left)) : bytes);
      left -= miniblockValues;
    }
  }
}
