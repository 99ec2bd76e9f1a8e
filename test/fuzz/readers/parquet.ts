import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parquetWriteBuffer } from "hyparquet-writer";
import { readDataFiles } from "../../../core/data/index.js";
import type { FuzzReader } from "../fuzz-reader.js";

const FIXTURES = fileURLToPath(new URL("../../../../test/fixtures/data/", import.meta.url));

/** Parquet files, through a library that trusts its input. */
export const parquet: FuzzReader = {
  name: "parquet",
  seeds: () => [
    readFileSync(`${FIXTURES}nested-snappy.parquet`),
    readFileSync(`${FIXTURES}nested-zstd.parquet`),
    new Uint8Array(
      parquetWriteBuffer({
        columnData: [
          { name: "prompt", data: Array(30).fill("2+2?"), type: "STRING" },
          { name: "n", data: Array.from({ length: 30 }, (_, i) => i), type: "INT32" },
          { name: "x", data: Array.from({ length: 30 }, (_, i) => (i % 3 ? i / 2 : null)), type: "DOUBLE" },
          { name: "big", data: Array.from({ length: 30 }, (_, i) => BigInt(i) << 50n), type: "INT64" },
          { name: "flag", data: Array.from({ length: 30 }, (_, i) => i % 2 === 0), type: "BOOLEAN" },
        ],
        codec: "UNCOMPRESSED",
      }),
    ),
  ],
  hostile: {},
  wrapsLibrary: true,
  read(input, folder) {
    const file = path.join(folder, "rows.parquet");
    writeFileSync(file, input);
    return readDataFiles([file], { split: "train" });
  },
};
