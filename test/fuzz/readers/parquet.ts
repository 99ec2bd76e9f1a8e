import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { parquetWriteBuffer } from "hyparquet-writer";
import { readDataFiles } from "../../../core/data/index.js";
import type { FuzzReader } from "../fuzz-reader.js";
import { CODECS, ENCODINGS, type TinyPage, TYPES, tinyParquet, u32, varint } from "./tiny-parquet.js";

const FIXTURES = fileURLToPath(new URL("../../../../test/fixtures/data/", import.meta.url));
const ROWS = 24;
const column = <T>(make: (i: number) => T) => Array.from({ length: ROWS }, (_, i) => make(i));

/** A file with every encoding that the writer knows. */
function everyEncoding(codec: "UNCOMPRESSED" | "SNAPPY" | "GZIP" | "BROTLI"): Uint8Array {
  return new Uint8Array(
    parquetWriteBuffer({
      codec,
      compressors: { GZIP: (input) => gzipSync(input), BROTLI: (input) => brotliCompressSync(input) },
      statistics: false,
      columnData: [
        { name: "prompt", data: column((i) => `2+${i % 3}?`), type: "STRING", encoding: "RLE_DICTIONARY" },
        { name: "plain", data: column((i) => (i % 5 ? i : null)), type: "INT32", encoding: "PLAIN" },
        { name: "delta", data: column((i) => i * i), type: "INT32", encoding: "DELTA_BINARY_PACKED", nullable: false },
        { name: "wide", data: column((i) => BigInt(i) << 40n), type: "INT64", encoding: "DELTA_BINARY_PACKED" },
        {
          name: "lengths",
          data: column((i) => "x".repeat(i % 4)),
          type: "STRING",
          encoding: "DELTA_LENGTH_BYTE_ARRAY",
        },
        { name: "prefixes", data: column((i) => `prefix ${i}`), type: "STRING", encoding: "DELTA_BYTE_ARRAY" },
        { name: "split", data: column((i) => i / 3), type: "DOUBLE", encoding: "BYTE_STREAM_SPLIT" },
        { name: "flag", data: column((i) => i % 3 === 0), type: "BOOLEAN", encoding: "RLE" },
        { name: "json", data: column((i) => ({ a: [i] })), type: "JSON" },
      ],
    }),
  );
}

const dictionary = (...values: Uint8Array[]): TinyPage => ({
  kind: "dictionary",
  values: values.length,
  bytes: Buffer.concat(values.flatMap((value) => [u32(value.length), value])),
});
/** Deltas: block size, parts of a block, count, first value, then blocks. */
const deltas = (block: number, parts: number | bigint, count: number, ...blocks: Uint8Array[]) =>
  Buffer.concat([varint(block), varint(parts), varint(count), varint(0), ...blocks]);
/** Zstandard of `blocks` blocks that each repeat one byte 128 Ki times. */
function zstdBomb(blocks: number): Buffer {
  const block = Buffer.from([((1 << 17) << 3) & 0xff, (((1 << 17) << 3) >> 8) & 0xff, ((1 << 17) << 3) >> 16, 7]);
  block[0] |= 2;
  const last = Buffer.from(block);
  last[0] |= 1;
  return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0x78]), ...Array(blocks - 1).fill(block), last]);
}

const size = fc.oneof(fc.nat(64), fc.constantFrom(-1, 2 ** 20, 2 ** 24, 2 ** 31 - 1));
const page: fc.Arbitrary<TinyPage> = fc.record(
  {
    kind: fc.constantFrom("v1", "v2", "dictionary"),
    bytes: fc.oneof(
      fc.uint8Array({ maxLength: 64 }),
      fc
        .array(fc.oneof(fc.nat(40), fc.constantFrom(2 ** 30, 2 ** 31 - 1, -1)), { maxLength: 12 })
        .map((numbers) => Buffer.concat(numbers.map(varint))),
      fc.constantFrom(gzipSync(Buffer.alloc(1000)), brotliCompressSync(Buffer.alloc(1000)), zstdBomb(2)),
    ),
    size,
    values: fc.oneof(fc.nat(40), size),
    encoding: fc.constantFrom(...Object.values(ENCODINGS)),
    nulls: fc.constantFrom(0, 1, -1, 2 ** 30),
    levelBytes: fc.tuple(fc.nat(4), fc.nat(4)),
  },
  { requiredKeys: ["bytes", "values"] },
);
const repetition = fc.constantFrom(0, 1, 2);
/** Schemas of a list, and of a group, around the column. */
const nesting = fc
  .tuple(repetition, repetition, repetition, fc.constantFrom(3, undefined))
  .map(([a, b, c, convertedType]) => ({
    schema: [
      { field_4: "root", field_5: 1 },
      { field_3: a, field_4: "x", field_5: 1, field_6: convertedType },
      { field_3: b, field_4: "list", field_5: 1 },
      { field_1: TYPES.int32, field_3: c, field_4: "element" },
    ],
    path: ["x", "list", "element"],
  }));

/** Parquet files, through a library that trusts its input. */
export const parquet: FuzzReader = {
  name: "parquet",
  seeds: () => [
    readFileSync(`${FIXTURES}nested-snappy.parquet`),
    readFileSync(`${FIXTURES}nested-zstd.parquet`),
    everyEncoding("UNCOMPRESSED"),
    everyEncoding("SNAPPY"),
    everyEncoding("GZIP"),
    everyEncoding("BROTLI"),
    tinyParquet({ pages: [{ bytes: Buffer.alloc(40), values: 10 }] }),
  ],
  words: [
    varint(2 ** 31 - 1),
    varint(2n ** 64n - 1n),
    varint(2 ** 30),
    u32(0xffffffff),
    Buffer.alloc(12, 0xff),
    "PAR1",
  ],
  generated: fc
    .record(
      {
        type: fc.constantFrom(...Object.values(TYPES)),
        codec: fc.constantFrom(...Object.values(CODECS)),
        pages: fc.array(page, { minLength: 1, maxLength: 3 }),
        rows: fc.oneof(fc.nat(40), fc.constantFrom(2 ** 31, 2 ** 53, -1)),
        nested: nesting,
        convertedType: fc.option(fc.nat(21), { nil: undefined }),
      },
      { requiredKeys: ["pages"] },
    )
    .map(({ nested, ...file }) => tinyParquet({ ...file, ...nested })),
  hostile: {
    "a run of 2^30 indices": () =>
      tinyParquet({
        type: TYPES.bytes,
        pages: [
          dictionary(Buffer.from("a")),
          {
            values: 10,
            encoding: ENCODINGS.dictionary,
            bytes: Buffer.concat([Buffer.of(1), varint(2 ** 31), Buffer.of(0)]),
          },
        ],
      }),
    "packed indices without bits": () =>
      tinyParquet({
        type: TYPES.bytes,
        pages: [
          dictionary(Buffer.from("a")),
          {
            kind: "v2",
            values: 10,
            encoding: ENCODINGS.dictionary,
            bytes: Buffer.concat([Buffer.of(0), varint(2 ** 30 + 1)]),
          },
        ],
      }),
    "an index beyond the dictionary": () =>
      tinyParquet({
        type: TYPES.bytes,
        pages: [
          dictionary(Buffer.from("a")),
          { values: 2, encoding: ENCODINGS.dictionary, bytes: Buffer.concat([Buffer.of(8), varint(4), Buffer.of(9)]) },
        ],
      }),
    "a million rows in ten bytes": () =>
      tinyParquet({
        type: TYPES.bytes,
        pages: [
          dictionary(Buffer.from("a")),
          {
            values: 2 ** 20,
            encoding: ENCODINGS.dictionary,
            bytes: Buffer.concat([Buffer.of(1), varint(2 ** 21), Buffer.of(0)]),
          },
        ],
      }),
    "as many rows as may be of one long text": () =>
      tinyParquet({
        type: TYPES.bytes,
        pages: [
          dictionary(Buffer.alloc(100_000, 0x61)),
          {
            values: 250_000,
            encoding: ENCODINGS.dictionary,
            bytes: Buffer.concat([Buffer.of(1), varint(500_000), Buffer.of(0)]),
          },
        ],
      }),
    "as many rows as may be of one large JSON": () =>
      tinyParquet({
        type: TYPES.bytes,
        convertedType: 19,
        pages: [
          dictionary(Buffer.from(`[${"1,".repeat(20_000)}1]`)),
          {
            values: 200_000,
            encoding: ENCODINGS.dictionary,
            bytes: Buffer.concat([Buffer.of(1), varint(400_000), Buffer.of(0)]),
          },
        ],
      }),
    "deep JSON": () =>
      tinyParquet({
        type: TYPES.bytes,
        convertedType: 19,
        pages: [{ values: 1, bytes: Buffer.concat([u32(100_000), Buffer.alloc(100_000, 0x5b)]) }],
      }),
    "2^40 rows": () => tinyParquet({ rows: 2n ** 40n, pages: [{ bytes: Buffer.alloc(4), values: 1 }] }),
    "rows less than none": () => tinyParquet({ rows: -5, pages: [{ bytes: Buffer.alloc(4), values: 1 }] }),
    "2^31 values": () => tinyParquet({ pages: [{ bytes: Buffer.alloc(4), values: 2 ** 31 - 1 }] }),
    "a page of 2^31 bytes": () =>
      tinyParquet({
        codec: CODECS.snappy,
        pages: [{ bytes: Buffer.concat([varint(2 ** 31 - 1), Buffer.alloc(8)]), size: 2 ** 31 - 1, values: 1 }],
      }),
    "a bomb of gzip": () =>
      tinyParquet({
        codec: CODECS.gzip,
        pages: [{ bytes: gzipSync(Buffer.alloc(2 ** 24)), size: 2 ** 24, values: 1 }],
      }),
    "a bomb of gzip, its size hidden": () =>
      tinyParquet({ codec: CODECS.gzip, pages: [{ bytes: gzipSync(Buffer.alloc(2 ** 24)), size: 4, values: 1 }] }),
    "a bomb of Brotli, its size hidden": () =>
      tinyParquet({
        codec: CODECS.brotli,
        pages: [{ bytes: brotliCompressSync(Buffer.alloc(2 ** 24)), size: 4, values: 1 }],
      }),
    "a bomb of Zstandard": () =>
      tinyParquet({ codec: CODECS.zstd, pages: [{ bytes: zstdBomb(20_000), size: 2 ** 31 - 1, values: 1 }] }),
    "a bomb of Zstandard, its size hidden": () =>
      tinyParquet({ codec: CODECS.zstd, pages: [{ bytes: zstdBomb(20_000), size: 4, values: 1 }] }),
    "a bomb of LZ4": () =>
      tinyParquet({
        codec: CODECS.lz4Raw,
        pages: [
          {
            bytes: Buffer.concat([Buffer.of(0x1f, 0, 1, 0), Buffer.alloc(200_000, 255), Buffer.of(0)]),
            size: 2 ** 25,
            values: 1,
          },
        ],
      }),
    "a bomb of LZ4, its size hidden": () =>
      tinyParquet({
        codec: CODECS.lz4,
        pages: [
          {
            bytes: Buffer.concat([Buffer.of(0x1f, 0, 1, 0), Buffer.alloc(200_000, 255), Buffer.of(0)]),
            size: 4,
            values: 1,
          },
        ],
      }),
    "a Snappy page of another size": () =>
      tinyParquet({
        codec: CODECS.snappy,
        pages: [{ bytes: Buffer.from([4, 0x0c, 1, 2, 3, 4]), size: 400, values: 100 }],
      }),
    "deltas in -1 parts": () =>
      tinyParquet({
        pages: [
          { values: 100, encoding: ENCODINGS.deltaBinary, bytes: deltas(128, 0xffffffff, 100, Buffer.alloc(20)) },
        ],
      }),
    "deltas in no parts": () =>
      tinyParquet({
        type: TYPES.int64,
        pages: [{ values: 100, encoding: ENCODINGS.deltaBinary, bytes: deltas(128, 0, 100, Buffer.alloc(20)) }],
      }),
    "deltas in 2^30 parts": () =>
      tinyParquet({
        type: TYPES.int64,
        pages: [
          {
            values: 100,
            encoding: ENCODINGS.deltaBinary,
            bytes: deltas(2 ** 31 - 128, 2 ** 30, 100, Buffer.alloc(20)),
          },
        ],
      }),
    "a delta of 100,000 bytes": () =>
      tinyParquet({
        type: TYPES.int64,
        pages: [
          { values: 100, encoding: ENCODINGS.deltaBinary, bytes: deltas(128, 4, 100, Buffer.alloc(100_000, 0xff)) },
        ],
      }),
    "texts that each begin with the one before": () => {
      // Prefixes grow by one (blocks of differences without bits), suffixes are all of one byte.
      const block = Buffer.concat([varint(2), Buffer.alloc(4)]);
      const flat = Buffer.concat([varint(0), Buffer.alloc(4)]);
      const blocks = 400;
      const count = 1 + 128 * blocks;
      const suffixes = Buffer.concat([varint(128), varint(4), varint(count), varint(2), ...Array(blocks).fill(flat)]);
      const bytes = Buffer.concat([
        deltas(128, 4, count, ...Array(blocks).fill(block)),
        suffixes,
        Buffer.alloc(count, 0x61),
      ]);
      return tinyParquet({ type: TYPES.bytes, pages: [{ values: count, encoding: ENCODINGS.deltaBytes, bytes }] });
    },
    "lists of lists of metadata": () => {
      const lie = Buffer.concat([
        Buffer.from("PAR1"),
        Buffer.of(0x19),
        ...Array(200).fill(Buffer.concat([Buffer.of(0xf9), varint(2 ** 25 - 1)])),
      ]);
      return Buffer.concat([lie, u32(lie.length - 4), Buffer.from("PAR1")]);
    },
    "structs of structs of metadata": () => {
      const deep = Buffer.alloc(100_000, 0x1c);
      return Buffer.concat([Buffer.from("PAR1"), deep, u32(deep.length), Buffer.from("PAR1")]);
    },
    "a schema of 5,000 levels": () =>
      tinyParquet({
        schema: [
          ...Array.from({ length: 5_000 }, (_, i) => ({ field_3: 0, field_4: `g${i}`, field_5: 1 })),
          { field_1: 1, field_3: 0, field_4: "x" },
        ],
        pages: [{ bytes: Buffer.alloc(4), values: 1 }],
      }),
    "a group of -1 columns": () =>
      tinyParquet({
        schema: [
          { field_4: "root", field_5: -1 },
          { field_1: 1, field_3: 0, field_4: "x" },
        ],
        pages: [{ bytes: Buffer.alloc(4), values: 1 }],
      }),
    "a group of 2^31 columns": () =>
      tinyParquet({
        schema: [
          { field_4: "root", field_5: 2 ** 31 - 1 },
          { field_1: 1, field_3: 0, field_4: "x" },
        ],
        pages: [{ bytes: Buffer.alloc(4), values: 1 }],
      }),
    "eighteen optional groups of a hundred thousand values": () =>
      tinyParquet({
        schema: [
          { field_4: "root", field_5: 1 },
          ...Array.from({ length: 17 }, () => ({ field_3: 1, field_4: "x", field_5: 1 })),
          { field_1: 1, field_3: 1, field_4: "x" },
        ],
        path: Array(18).fill("x"),
        pages: [{ values: 100_000, bytes: Buffer.concat([u32(5), varint(200_000), Buffer.of(17)]) }],
      }),
    "a decimal of 200,000 bytes": () =>
      tinyParquet({
        type: TYPES.bytes,
        convertedType: 5,
        pages: [{ values: 1, bytes: Buffer.concat([u32(200_000), Buffer.alloc(200_000, 1)]) }],
      }),
    "statistics of a decimal of 200,000 bytes": () =>
      tinyParquet({
        convertedType: 5,
        pages: [{ values: 1, bytes: Buffer.alloc(4) }],
        column: { field_12: { field_1: Buffer.alloc(200_000, 1) } },
      }),
    "a column called __proto__": () =>
      tinyParquet({
        schema: [
          { field_4: "root", field_5: 1 },
          { field_1: 1, field_3: 0, field_4: "__proto__" },
        ],
        path: ["__proto__"],
        pages: [{ values: 1, bytes: Buffer.alloc(4) }],
      }),
    "a column outside of the file": () =>
      tinyParquet({ pages: [{ values: 1, bytes: Buffer.alloc(4) }], column: { field_7: 2n ** 62n } }),
    "a footer of 2^32 bytes": () => Buffer.concat([Buffer.from("PAR1"), u32(0xffffffff), Buffer.from("PAR1")]),
    "nothing but the end": () => "PAR1",
  },
  // Parquet expands: how much may come out of a file is capped by its size (docs/Reference/limits.md).
  budget: { cpuMs: 4000, bytes: 384 * 2 ** 20, bytesPerByte: 1024 },
  wrapsLibrary: true,
  read(input, folder) {
    const file = path.join(folder, "rows.parquet");
    writeFileSync(file, input);
    return readDataFiles([file], { split: "train", namedBy: "the fuzzer" });
  },
};
