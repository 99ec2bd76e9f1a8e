import { open } from "node:fs/promises";
import { reasonOf } from "../../host/errors.js";
import type { JsonValue } from "../../host/types.js";
import { requireRegularFile } from "../../host/util/regular-file.js";
import { dataErrors } from "../errors.js";
import type { RawRow } from "./raw-row.js";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * The rows of a Parquet file, nested columns included. Values become JSON: 64-bit integers are numbers where that is exact
 * and decimal text otherwise, times are ISO 8601 text, bytes are text where they are valid UTF-8 and base64 otherwise.
 */
export async function readParquetRows(file: string): Promise<RawRow[]> {
  // Loaded when a file of this kind is first read.
  const [{ ParquetBudget }, { readFooter }, { readRowGroups }] = await Promise.all([
    import("../parquet/budget.js"),
    import("../parquet/footer.js"),
    import("../parquet/row-groups.js"),
  ]);
  await requireRegularFile(file);
  const handle = await open(file, "r");
  try {
    const { size } = await handle.stat();
    const budget = new ParquetBudget(size);
    const json = new JsonMaker(budget);
    const rows: RawRow[] = [];
    for await (const { rows: count, columns } of readRowGroups(handle, size, await readFooter(handle, size), budget)) {
      for (let i = 0; i < count; i++) {
        const row = Object.fromEntries([...columns].map(([name, values]) => [name, json.from(values[i])]));
        rows.push({ row, origin: `${file}#${rows.length}` });
      }
    }
    return rows;
  } catch (error) {
    throw dataErrors.VERL_DATA_FORMAT({
      what: "the file cannot be read as Parquet",
      where: file,
      why: reasonOf(error),
      cause: error,
    });
  } finally {
    await handle.close();
  }
}

/** Plain JSON of what the library decodes. Values that rows share by a dictionary are paid for by every row. */
class JsonMaker {
  readonly #texts = new Map<Uint8Array, string>();

  constructor(private readonly budget: { spendValues(count: number): void }) {}

  from(value: unknown): JsonValue {
    if (value === undefined || value === null) return null;
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
    if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
    if (value instanceof Uint8Array) return this.#text(value);
    if (Array.isArray(value)) {
      this.budget.spendValues(value.length);
      return value.map((item) => this.from(item));
    }
    const entries = Object.entries(value);
    this.budget.spendValues(entries.length);
    return Object.fromEntries(entries.map(([name, item]) => [name, this.from(item)]));
  }

  /** One text for all rows that share bytes. */
  #text(bytes: Uint8Array): string {
    const known = this.#texts.get(bytes);
    if (known !== undefined) return known;
    const text = bytesToText(bytes);
    this.#texts.set(bytes, text);
    return text;
  }
}

function bytesToText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
  }
}
