import type { FileHandle } from "node:fs/promises";
import type { FileMetaData, SchemaElement } from "hyparquet";
import { ConvertedTypes } from "hyparquet/src/constants.js";
import { parquetMetadata } from "hyparquet/src/metadata.js";
import { deserializeTCompactProtocol } from "hyparquet/src/thrift.js";
import { ByteReader } from "./byte-reader.js";
import { checkThriftStruct } from "./thrift-check.js";

const MAX_FOOTER_BYTES = 64 * 2 ** 20;
const MAX_SCHEMA_ELEMENTS = 10_000;
const MAX_SCHEMA_DEPTH = 20;
/** Longest decimal number, in bytes. */
const MAX_DECIMAL_BYTES = 64;
const DECIMAL = ConvertedTypes.indexOf("DECIMAL");
const MAGIC = "PAR1";

/** Kinds of columns that the library builds from counts inside their bytes; none is of use in a data set of prompts. */
const REFUSED_KINDS = ["VARIANT", "GEOMETRY", "GEOGRAPHY", "FILE"];

/** The metadata at the end of a file, every size and count in it checked against what is there. */
export async function readFooter(file: FileHandle, fileSize: number): Promise<FileMetaData> {
  const tail = await readBytes(file, Math.max(0, fileSize - 8), Math.min(8, fileSize));
  if (tail.length < 8 || Buffer.from(tail).toString("latin1", 4) !== MAGIC)
    throw new Error(`it does not end with ${MAGIC}`);
  const length = new ByteReader(tail).u32();
  if (length > fileSize - 8 || length > MAX_FOOTER_BYTES) throw new Error(`its metadata claim ${length} bytes`);
  const footer = await readBytes(file, fileSize - 8 - length, length + 8);
  checkThriftStruct(new ByteReader(footer, 0, length));
  checkDecimals(footer);
  const metadata = parquetMetadata(footer, { geoparquet: false });
  checkSchema(metadata.schema);
  return metadata;
}

/** Read a range that lies inside the file. */
export async function readBytes(file: FileHandle, position: number, length: number): Promise<Uint8Array<ArrayBuffer>> {
  const out = new Uint8Array(length);
  for (let done = 0; done < length; ) {
    const { bytesRead } = await file.read(out, done, length - done, position + done);
    if (bytesRead === 0) throw new Error("the file ended while it was being read");
    done += bytesRead;
  }
  return out;
}

/** Elements stand in the order of a walk over their tree, each with the number of its children. */
function checkSchema(schema: readonly SchemaElement[]): void {
  if (schema.length > MAX_SCHEMA_ELEMENTS) throw new Error(`its schema has ${schema.length} elements`);
  const open: { left: number; readonly names: Set<string> }[] = [{ left: 1, names: new Set() }];
  for (const element of schema) {
    while (open.at(-1)?.left === 0) open.pop();
    const parent = open.at(-1);
    const { name, num_children: children = 0, type, logical_type: kind, repetition_type: repetition } = element;
    const isRoot = element === schema[0];
    if (!parent || typeof name !== "string" || (!isRoot && !repetition)) throw new Error("its schema is damaged");
    if (parent.names.has(name)) throw new Error(`its schema has two columns ${name}`);
    if (name === "__proto__") throw new Error("a column cannot be called __proto__");
    if (kind && REFUSED_KINDS.includes(kind.type))
      throw new Error(`columns of the kind ${kind.type} are not supported`);
    if (!Number.isInteger(children) || children < 0 || children > 0 === (type !== undefined)) {
      throw new Error(`the element ${name} of its schema is neither a column nor a group of columns`);
    }
    parent.names.add(name);
    parent.left--;
    if (children > 0) open.push({ left: children, names: new Set() });
    if (open.length > MAX_SCHEMA_DEPTH) throw new Error(`its columns lie more than ${MAX_SCHEMA_DEPTH} deep`);
  }
  if (open.some(({ left }) => left > 0)) throw new Error("its schema ends too early");
}

/** The library makes decimals in time that grows with the square of their length, in statistics already. */
function checkDecimals(footer: Uint8Array): void {
  const raw = deserializeTCompactProtocol({ view: new DataView(footer.buffer, footer.byteOffset), offset: 0 });
  const leaves = listOf(raw.field_2).filter(({ field_1: type }) => type !== undefined);
  const isDecimal = leaves.map((element) => element.field_6 === DECIMAL);
  leaves.forEach(({ field_1: type, field_2: length }, i) => {
    if (isDecimal[i] && type === BYTE_ARRAY) throw new Error("decimals of variable length are not supported");
    if (isDecimal[i] && Number(length) > MAX_DECIMAL_BYTES) throw new Error(`decimals of ${length} bytes`);
  });
  for (const group of listOf(raw.field_4)) {
    listOf(group.field_1).forEach((column, i) => {
      const statistics = (column.field_3 as Struct | undefined)?.field_12 as Struct | undefined;
      const texts = Object.values(statistics ?? {}).filter((value) => value instanceof Uint8Array);
      if (isDecimal[i] && texts.some(({ length }) => length > MAX_DECIMAL_BYTES))
        throw new Error("its statistics are damaged");
    });
  }
}

/** A Thrift struct as the library parses it. */
type Struct = Readonly<Record<string, unknown>>;
const BYTE_ARRAY = 6;

function listOf(value: unknown): readonly Struct[] {
  if (Array.isArray(value) && value.every((item) => typeof item === "object" && item !== null)) return value;
  throw new Error("its metadata are damaged");
}
