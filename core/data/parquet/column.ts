import type { DecodedArray } from "hyparquet";
import { parquetHeader, readPage } from "hyparquet/src/column.js";
import { convert } from "hyparquet/src/convert.js";
import type { ParquetBudget } from "./budget.js";
import { ByteReader } from "./byte-reader.js";
import { type ColumnDecoder, openPage } from "./page.js";
import { checkThriftStruct } from "./thrift-check.js";

/**
 * The values of one column of a row group, nested ones as lists inside lists. Pages follow each other in `chunk`: a dictionary
 * perhaps, then data.
 */
export function readColumnChunk(chunk: Uint8Array, column: ColumnDecoder, budget: ParquetBudget): DecodedArray {
  const reader = new ByteReader(chunk);
  // What is decompressed here is plain to the library.
  const plainColumn: ColumnDecoder = { ...column, codec: "UNCOMPRESSED" };
  let dictionary: DecodedArray | undefined;
  let output: DecodedArray = [];
  while (reader.left > 1) {
    const { at } = reader;
    checkThriftStruct(reader);
    const header = parquetHeader({ view: viewOf(chunk), offset: at });
    const stored = reader.part(Number(header.compressed_page_size));
    if (header.type === "INDEX_PAGE") continue;
    const page = openPage(chunk.subarray(stored.at, stored.end), header, column, dictionary?.length ?? null, budget);
    const source = { view: viewOf(page.bytes), offset: 0 };
    if (header.type === "DICTIONARY_PAGE") {
      if (dictionary) throw new Error("a column with two dictionaries");
      const { data } = readPage(source, page.header, plainColumn, undefined, undefined, 0);
      dictionary = convert(data ?? [], column);
    } else {
      // A row may go on in the next page: the library then adds to what it is given.
      const before: unknown[] = Array.isArray(output) ? output : Array.from<unknown>(output);
      const { data = [] } = readPage(source, page.header, plainColumn, dictionary, before, 0);
      output = data === before ? before : joined(before, data);
    }
  }
  return output;
}

function joined(before: unknown[], data: DecodedArray): DecodedArray {
  if (before.length === 0) return data;
  for (const value of data) before.push(value);
  return before;
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
