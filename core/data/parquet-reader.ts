import { reasonOf } from "../host/errors.js";
import type { JsonValue } from "../host/types.js";
import { dataErrors } from "./errors.js";
import type { RawRow } from "./raw-row.js";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * The rows of a Parquet file, nested columns included. Values become JSON: 64-bit integers are numbers where that is exact
 * and decimal text otherwise, times are ISO 8601 text, bytes are text where they are valid UTF-8 and base64 otherwise.
 */
export async function readParquetRows(file: string): Promise<RawRow[]> {
  const [{ asyncBufferFromFile, parquetReadObjects }, { compressors }] = await Promise.all([
    import("hyparquet"),
    import("hyparquet-compressors"),
  ]);
  try {
    const rows = await parquetReadObjects({ file: await asyncBufferFromFile(file), compressors, utf8: false });
    return rows.map((row, i) => ({ row: toJson(row) as RawRow["row"], origin: `${file}#${i}` }));
  } catch (error) {
    throw dataErrors.VERL_DATA_FORMAT({
      what: "the file cannot be read as Parquet",
      where: file,
      why: reasonOf(error),
      cause: error,
    });
  }
}

function toJson(value: unknown): JsonValue {
  if (value === undefined || value === null) return null;
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof Uint8Array) return bytesToText(value);
  if (Array.isArray(value)) return value.map(toJson);
  if (ArrayBuffer.isView(value)) return Array.from(value as unknown as ArrayLike<number | bigint>, toJson);
  if (typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, toJson(item)]));
  }
  return String(value);
}

function bytesToText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
  }
}
