import { brotliDecompressSync, gunzipSync, inflateRawSync } from "node:zlib";
import { compressors, decompressZstd } from "hyparquet-compressors";
import { ByteReader } from "./byte-reader.js";
import { lz4Block, lz4Framed } from "./lz4.js";

/** By codec. `size` is what the page claims, and no decompressor makes more of its input. */
const CODECS: Readonly<Record<string, (input: Uint8Array, size: number) => Uint8Array>> = {
  // A copy, so that values read beyond the page's end are an error and not those of the next page.
  UNCOMPRESSED: (input) => input.slice(),
  SNAPPY: snappy,
  GZIP: (input, size) => (isGzip(input) ? gunzipSync : inflateRawSync)(input, { maxOutputLength: Math.max(1, size) }),
  BROTLI: (input, size) => brotliDecompressSync(input, { maxOutputLength: Math.max(1, size) }),
  ZSTD: zstd,
  LZ4: lz4Framed,
  LZ4_RAW: (input, size) => lz4Block(new ByteReader(input), size),
};

/** The content of a page, in a buffer of its own. */
export function decompress(input: Uint8Array, size: number, codec: string): Uint8Array {
  const decompressor = Object.hasOwn(CODECS, codec) ? CODECS[codec] : undefined;
  if (!decompressor) throw new Error(`the compression ${codec} is not supported`);
  // Pages without values may be stored as nothing at all, which is no valid stream.
  const page = size === 0 ? new Uint8Array(0) : decompressor(input, size);
  if (page.length !== size) throw new Error(`a page of ${page.length} bytes where ${size} are claimed`);
  const ownsBuffer = page.byteOffset === 0 && page.buffer.byteLength === page.byteLength;
  return ownsBuffer ? page : Uint8Array.from(page);
}

/** The library returns as many bytes as it is asked for, whatever it has written; so the stream's own size must be that. */
function snappy(input: Uint8Array, size: number): Uint8Array {
  const own = new ByteReader(input).varint(32);
  if (own !== size) throw new Error(`a page of ${own} bytes where ${size} are claimed`);
  return (compressors.SNAPPY as (input: Uint8Array, size: number) => Uint8Array)(input, size);
}

function isGzip(input: Uint8Array): boolean {
  return input[0] === 0x1f && input[1] === 0x8b;
}

const ZSTD_MAGIC = 0xfd2fb528;
const ZSTD_SKIPPABLE = 0x184d2a50;
/** Bytes that a compressed block makes at least, on average, of a page that is no bomb. */
const ZSTD_BLOCK = 4096;

/** The library would go on behind the end of the output; so the sizes of all blocks are added up before. */
function zstd(input: Uint8Array, size: number): Uint8Array {
  const reader = new ByteReader(input);
  let plain = 0;
  let compressed = 0;
  while (reader.left > 0) {
    const magic = reader.u32();
    if (magic >>> 4 === ZSTD_SKIPPABLE >>> 4) {
      reader.skip(reader.u32());
      continue;
    }
    if (magic !== ZSTD_MAGIC) throw new Error("a page is not Zstandard");
    const flags = reader.u8();
    const isSingle = (flags >> 5) & 1;
    reader.skip((isSingle ? 0 : 1) + [0, 1, 2, 4][flags & 3] + [isSingle, 2, 4, 8][flags >> 6]);
    for (let isLast = false; !isLast; ) {
      const header = reader.u8() + reader.u8() * 2 ** 8 + reader.u8() * 2 ** 16;
      const [type, length] = [(header >> 1) & 3, header >> 3];
      isLast = (header & 1) === 1;
      if (type === 2) compressed++;
      else plain += length;
      reader.skip(type === 1 ? 1 : length);
    }
    if (flags & 4) reader.skip(4);
  }
  if (plain > size || compressed > 8 + size / ZSTD_BLOCK)
    throw new Error(`a page of more than the ${size} bytes that are claimed`);
  return decompressZstd(input, new Uint8Array(size));
}
