import { maskedCrc32c } from "./crc32c.js";

/** Length and its checksum before the data, and the data's checksum after it. */
const HEAD = 12;
const TAIL = 4;

/** A TFRecord. */
export function record(data: Buffer): Buffer {
  const head = Buffer.alloc(HEAD);
  head.writeBigUInt64LE(BigInt(data.length));
  head.writeUInt32LE(maskedCrc32c(head.subarray(0, 8)), 8);
  const tail = Buffer.alloc(TAIL);
  tail.writeUInt32LE(maskedCrc32c(data));
  return Buffer.concat([head, data, tail]);
}

/** The data of a file's records up to the first that is damaged or torn: what a reader would show. */
export function* recordsOf(file: Buffer): Generator<Buffer> {
  for (let at = 0; at + HEAD + TAIL <= file.length; ) {
    const length = Number(file.readBigUInt64LE(at));
    const start = at + HEAD;
    const end = start + length;
    if (end + TAIL > file.length || file.readUInt32LE(at + 8) !== maskedCrc32c(file.subarray(at, at + 8))) return;
    const data = file.subarray(start, end);
    if (file.readUInt32LE(end) !== maskedCrc32c(data)) return;
    yield data;
    at = end + TAIL;
  }
}
