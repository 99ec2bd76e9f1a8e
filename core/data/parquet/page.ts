import type { readPage } from "hyparquet/src/column.js";
import { deltaBinaryUnpack } from "hyparquet/src/delta.js";
import { getMaxDefinitionLevel, getMaxRepetitionLevel } from "hyparquet/src/schema.js";
import type { ParquetBudget } from "./budget.js";
import { ByteReader } from "./byte-reader.js";
import { decompress } from "./decompress.js";
import { checkDeltas, checkRuns } from "./encoded-values.js";

export type PageHeader = Parameters<typeof readPage>[1];
export type ColumnDecoder = Parameters<typeof readPage>[2];

/** A page as the library decodes it: its header changed to that of a page that is not compressed. */
export interface PlainPage {
  readonly header: PageHeader;
  readonly bytes: Uint8Array;
}

/**
 * Decompress a page and check everything in it that a decoder follows blindly: lengths of runs, sizes of blocks, indices into
 * the dictionary.
 */
export function openPage(
  stored: Uint8Array,
  header: PageHeader,
  column: ColumnDecoder,
  dictionarySize: number | null,
  budget: ParquetBudget,
): PlainPage {
  const size = Number(header.uncompressed_page_size);
  budget.spendBytes(size);
  switch (header.type) {
    case "DICTIONARY_PAGE": {
      const bytes = decompress(stored, size, column.codec);
      budget.spendValues(header.dictionary_page_header?.num_values ?? Number.NaN);
      return plain(header, bytes);
    }
    case "DATA_PAGE":
      return openDataPage(decompress(stored, size, column.codec), header, column, dictionarySize, budget);
    case "DATA_PAGE_V2":
      return openDataPageV2(stored, size, header, column, dictionarySize, budget);
    default:
      throw new Error(`a page of the unknown type ${header.type}`);
  }
}

/** Version 1: repetition levels, definition levels, values, compressed as one; levels begin with their length. */
function openDataPage(
  bytes: Uint8Array,
  header: PageHeader,
  column: ColumnDecoder,
  dictionarySize: number | null,
  budget: ParquetBudget,
): PlainPage {
  const { num_values: count, encoding } = required(header.data_page_header);
  spendLevels(count, column, budget);
  const reader = new ByteReader(bytes);
  const levels = (most: number) => (most === 0 ? count : checkLevels(reader.part(reader.u32()), most, count));
  levels(getMaxRepetitionLevel(column.schemaPath));
  const present = levels(getMaxDefinitionLevel(column.schemaPath));
  checkValues(reader, encoding, present, column, dictionarySize, budget, false);
  return plain(header, bytes);
}

/** Version 2: levels are not compressed, and the header knows their lengths. */
function openDataPageV2(
  stored: Uint8Array,
  size: number,
  header: PageHeader,
  column: ColumnDecoder,
  dictionarySize: number | null,
  budget: ParquetBudget,
): PlainPage {
  const own = required(header.data_page_header_v2);
  const { num_values: count, num_nulls: nulls, encoding, is_compressed: isCompressed = true } = own;
  const [repetitionBytes, definitionBytes] = [
    own.repetition_levels_byte_length ?? 0,
    own.definition_levels_byte_length ?? 0,
  ];
  spendLevels(count, column, budget);
  const reader = new ByteReader(stored);
  const [repetitions, definitions] = [reader.part(repetitionBytes), reader.part(definitionBytes)];
  const valuesSize = size - repetitionBytes - definitionBytes;
  if (valuesSize < 0) throw new Error("the levels of a page are larger than the page");
  const most = getMaxDefinitionLevel(column.schemaPath);
  checkLevels(repetitions, getMaxRepetitionLevel(column.schemaPath), count);
  const present = most === 0 ? count : checkLevels(definitions, most, count);
  if (present !== count - nulls) throw new Error(`a page claims ${nulls} nulls and has ${count - present}`);
  const values = decompress(stored.subarray(reader.at), valuesSize, isCompressed ? column.codec : "UNCOMPRESSED");
  checkValues(new ByteReader(values), encoding, present, column, dictionarySize, budget, true);
  const bytes = Uint8Array.from(Buffer.concat([stored.subarray(0, reader.at), values]));
  return plain({ ...header, data_page_header_v2: { ...own, is_compressed: false } }, bytes);
}

function plain(header: PageHeader, bytes: Uint8Array): PlainPage {
  return { header: { ...header, compressed_page_size: bytes.length, uncompressed_page_size: bytes.length }, bytes };
}

/** Every value may open a list or an object on each level. */
function spendLevels(count: number, { schemaPath }: ColumnDecoder, budget: ParquetBudget): void {
  budget.spendValues(count * Math.max(1, schemaPath.length - 1));
}

/** Returns how many values are on the highest level, and so are there. */
function checkLevels(reader: ByteReader, most: number, count: number): number {
  if (most === 0) return count;
  const { largest, occurrences } = checkRuns(reader, 32 - Math.clz32(most), count, most);
  if (largest > most) throw new Error(`a level of ${largest} where ${most} is the highest`);
  return occurrences;
}

function checkValues(
  reader: ByteReader,
  encoding: string | undefined,
  count: number,
  column: ColumnDecoder,
  dictionarySize: number | null,
  budget: ParquetBudget,
  isV2: boolean,
): void {
  switch (encoding) {
    case "PLAIN_DICTIONARY":
    case "RLE_DICTIONARY": {
      if (dictionarySize === null) throw new Error("a page refers to a dictionary that is not there");
      if (column.type === "BOOLEAN") throw new Error("a dictionary of two values is not supported");
      // A page of nulls may end before the width of its indices.
      const width = count === 0 ? 0 : reader.u8();
      // Without bits there are no runs in version 1: all indices are 0.
      const { largest } = count === 0 || (width === 0 && !isV2) ? { largest: 0 } : checkRuns(reader, width, count, 0);
      if (count > 0 && largest >= dictionarySize)
        throw new Error(`the index ${largest} into a dictionary of ${dictionarySize} values`);
      return;
    }
    case "RLE":
      if (column.type !== "BOOLEAN") throw new Error(`${column.type} in the encoding RLE`);
      checkRuns(reader.part(reader.u32()), 1, count, 0);
      return;
    case "DELTA_BINARY_PACKED":
    case "DELTA_LENGTH_BYTE_ARRAY":
      if (count > 0) checkDeltas(reader, count);
      return;
    case "DELTA_BYTE_ARRAY":
      if (count > 0) spendPrefixes(reader, count, budget);
      return;
    case "BYTE_STREAM_SPLIT":
      if (count * byteWidth(column) > reader.left) throw new Error("a page ends before its values");
      return;
    default:
  }
}

/** Texts that repeat the beginning of the one before: together they may be far longer than the page. */
function spendPrefixes(reader: ByteReader, count: number, budget: ParquetBudget): void {
  const [prefixes, suffixes] = [unpack(reader, count), unpack(reader, count)];
  let length = 0;
  for (let i = 0; i < count; i++) {
    if (prefixes[i] < 0 || prefixes[i] > length || suffixes[i] < 0)
      throw new Error("a text begins with more than there was");
    length = prefixes[i] + suffixes[i];
    budget.spendBytes(length);
  }
}

function unpack(reader: ByteReader, count: number): Int32Array {
  const { bytes, at } = reader;
  checkDeltas(reader, count);
  const lengths = new Int32Array(count);
  deltaBinaryUnpack(
    { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), offset: at },
    count,
    lengths,
  );
  return lengths;
}

function byteWidth({ type, element }: ColumnDecoder): number {
  return type === "FIXED_LEN_BYTE_ARRAY" ? (element.type_length ?? 0) : type === "INT64" || type === "DOUBLE" ? 8 : 4;
}

function required<T>(part: T | undefined): T {
  if (part === undefined) throw new Error("a page without its header");
  return part;
}
