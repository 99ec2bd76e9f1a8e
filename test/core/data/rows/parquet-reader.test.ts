import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { expect } from "chai";
import { parquetWriteBuffer } from "hyparquet-writer";
import { ByteReader } from "../../../../core/data/parquet/byte-reader.js";
import { checkDeltas, checkRuns } from "../../../../core/data/parquet/encoded-values.js";
import { lz4Block, lz4Framed } from "../../../../core/data/parquet/lz4.js";
import { readParquetRows } from "../../../../core/data/rows/parquet-reader.js";
import { codedRejection } from "../support.js";

const ROWS = 300;
const column = <T>(make: (i: number) => T) => Array.from({ length: ROWS }, (_, i) => make(i));
const COLUMNS = {
  dictionary: column((i) => `text ${i % 7}`),
  plain: column((i) => (i % 5 === 0 ? null : i)),
  delta: column((i) => i * i - 1000),
  lengths: column((i) => "é".repeat(i % 4)),
  prefixes: column((i) => `prefix ${i}`),
  split: column((i) => i / 4),
  flag: column((i) => i % 3 === 0),
  json: column((i) => ({ a: [i, null] })),
};

/** Pages are small, so that columns have many. */
function written(codec: "UNCOMPRESSED" | "SNAPPY" | "GZIP" | "BROTLI"): Uint8Array {
  return new Uint8Array(
    parquetWriteBuffer({
      codec,
      compressors: { GZIP: (input) => gzipSync(input), BROTLI: (input) => brotliCompressSync(input) },
      pageSize: 200,
      rowGroupSize: 130,
      columnData: [
        { name: "dictionary", data: COLUMNS.dictionary, type: "STRING", encoding: "RLE_DICTIONARY" },
        { name: "plain", data: COLUMNS.plain, type: "INT32", encoding: "PLAIN" },
        { name: "delta", data: COLUMNS.delta, type: "INT32", encoding: "DELTA_BINARY_PACKED", nullable: false },
        { name: "lengths", data: COLUMNS.lengths, type: "STRING", encoding: "DELTA_LENGTH_BYTE_ARRAY" },
        { name: "prefixes", data: COLUMNS.prefixes, type: "STRING", encoding: "DELTA_BYTE_ARRAY" },
        { name: "split", data: COLUMNS.split, type: "DOUBLE", encoding: "BYTE_STREAM_SPLIT" },
        { name: "flag", data: COLUMNS.flag, type: "BOOLEAN", encoding: "RLE" },
        { name: "json", data: COLUMNS.json, type: "JSON" },
      ],
    }),
  );
}

describe("core/data/rows/parquet-reader", () => {
  let folder = "";
  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "verl-parquet-"));
  });
  after(() => rm(folder, { recursive: true }));
  const read = async (bytes: Uint8Array) => {
    const file = path.join(folder, "rows.parquet");
    await writeFile(file, bytes);
    return readParquetRows(file);
  };

  for (const codec of ["UNCOMPRESSED", "SNAPPY", "GZIP", "BROTLI"] as const) {
    it(`gives back every value of every encoding, many pages and row groups (${codec})`, async () => {
      const rows = await read(written(codec));
      const expected = column((i) =>
        Object.fromEntries(Object.entries(COLUMNS).map(([name, values]) => [name, values[i]])),
      );
      expect(rows.map(({ row }) => row)).to.deep.equal(expected);
    });
  }

  it("reads every cut of a file as damaged", async () => {
    const whole = written("SNAPPY");
    for (const length of [0, 4, 8, 11, 100, whole.length - 1]) {
      await codedRejection("VERL_DATA_FORMAT", read(whole.slice(0, length)));
    }
  });

  it("decodes blocks of LZ4, overlapping copies included, and refuses other sizes", () => {
    // Three literals, then nine bytes from three before, then two literals.
    const block = Uint8Array.from([0x35, 97, 98, 99, 3, 0, 0x20, 120, 121]);
    const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();
    expect(text(lz4Block(new ByteReader(block), 14))).to.equal("abcabcabcabcxy");
    for (const size of [13, 15, 0]) expect(() => lz4Block(new ByteReader(block), size)).to.throw(`${size} `);
    const framed = Buffer.concat([Buffer.from([0, 0, 0, 14, 0, 0, 0, block.length]), block]);
    expect(text(lz4Framed(framed, 14))).to.equal("abcabcabcabcxy");
    expect(text(lz4Framed(block, 14))).to.equal("abcabcabcabcxy");
  });

  it("measures runs and packed values, and refuses those beyond their number", () => {
    const runs = (...bytes: number[]) => new ByteReader(Uint8Array.from(bytes));
    expect(checkRuns(runs(6, 2, 3, 0b10_01_00_11, 0), 2, 11, 2)).to.deep.equal({ largest: 3, occurrences: 4 });
    expect(() => checkRuns(runs(6, 2), 2, 2, 0)).to.throw("a run claims 3 values where 2 are left");
    expect(() => checkRuns(runs(5, 0, 0), 1, 8, 0)).to.throw("a run claims 16 values where 8 are left");
    expect(() => checkRuns(runs(2), 2, 1, 0)).to.throw("1 bytes are claimed where 0 are left");
  });

  it("refuses blocks of differences that are none", () => {
    const deltas = (...bytes: number[]) => new ByteReader(Uint8Array.from(bytes));
    expect(() => checkDeltas(deltas(0x80, 1, 0, 5, 0), 5)).to.throw("blocks of 128 values in 0 parts");
    expect(() => checkDeltas(deltas(0x80, 1, 4, 5, 0, 0, 65, 0, 0, 0), 5)).to.throw("differences of 65 bits");
    expect(() => checkDeltas(deltas(0x80, 1, 4, 5, 0, 0, 8, 0, 0, 0), 5)).to.throw(
      "4 bytes are claimed where 0 are left",
    );
  });
});
