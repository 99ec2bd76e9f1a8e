import type { SchemaElement } from "hyparquet";
import { ByteWriter } from "hyparquet-writer/src/bytewriter.js";
import { serializeTCompactProtocol } from "hyparquet-writer/src/thrift.js";

/** A Parquet file of one column `x`, every number in it as one likes. Numbers of enumerations are those of the format. */
export interface TinyParquet {
  readonly rows?: number | bigint;
  /** Physical type; default 1, INT32. */
  readonly type?: number;
  /** Default 0, none. */
  readonly codec?: number;
  readonly pages: readonly TinyPage[];
  /** Elements of the schema in place of a root with one required column. */
  readonly schema?: readonly Partial<SchemaElement>[] | readonly object[];
  readonly path?: readonly string[];
  /** Members of the column besides its pages. */
  readonly column?: Readonly<Record<string, unknown>>;
  readonly convertedType?: number;
}

export interface TinyPage {
  /** As stored, compressed or not. */
  readonly bytes: Uint8Array;
  /** Claimed size once decompressed; default: that of the bytes. */
  readonly size?: number;
  readonly storedSize?: number;
  readonly values: number;
  readonly encoding?: number;
  readonly kind?: "v1" | "v2" | "dictionary";
  readonly nulls?: number;
  readonly levelBytes?: readonly [repetition: number, definition: number];
}

export const ENCODINGS = {
  plain: 0,
  rle: 3,
  deltaBinary: 5,
  deltaLength: 6,
  deltaBytes: 7,
  dictionary: 8,
  split: 9,
  alp: 10,
};
export const TYPES = { boolean: 0, int32: 1, int64: 2, int96: 3, float: 4, double: 5, bytes: 6, fixed: 7 };
export const CODECS = { none: 0, snappy: 1, gzip: 2, brotli: 4, lz4: 5, zstd: 6, lz4Raw: 7 };

export function tinyParquet(file: TinyParquet): Uint8Array {
  const writer = new ByteWriter();
  writer.appendBytes(Buffer.from("PAR1"));
  for (const page of file.pages) {
    thrift(writer, pageHeader(page));
    writer.appendBytes(page.bytes);
  }
  const { length } = writer.getBytes();
  const {
    rows = file.pages.reduce((sum, { kind, values }) => sum + (kind === "dictionary" ? 0 : values), 0),
    type = TYPES.int32,
  } = file;
  thrift(writer, {
    field_1: 2,
    field_2: file.schema ?? [
      { field_4: "root", field_5: 1 },
      {
        field_1: type,
        field_2: type === TYPES.fixed ? 4 : undefined,
        field_3: 0,
        field_4: "x",
        field_6: file.convertedType,
      },
    ],
    field_3: BigInt(rows),
    field_4: [
      {
        field_1: [
          {
            field_2: 0n,
            field_3: inOrder({
              field_1: type,
              field_2: [0],
              field_3: file.path ?? ["x"],
              field_4: file.codec ?? CODECS.none,
              field_5: BigInt(rows),
              field_6: 1n,
              field_7: BigInt(length - 4),
              field_9: 4n,
              ...file.column,
            }),
          },
        ],
        field_2: 1n,
        field_3: BigInt(rows),
      },
    ],
  });
  writer.appendUint32(writer.getBytes().length - length);
  writer.appendBytes(Buffer.from("PAR1"));
  return writer.getBytes().slice();
}

function pageHeader({ bytes, values, kind = "v1", ...page }: TinyPage): object {
  const { encoding = ENCODINGS.plain, levelBytes: [repetition, definition] = [0, 0] } = page;
  const size = page.size ?? bytes.length;
  return {
    field_1: { v1: 0, dictionary: 2, v2: 3 }[kind],
    field_2: size,
    field_3: page.storedSize ?? bytes.length,
    ...(kind === "v1" ? { field_5: { field_1: values, field_2: encoding, field_3: 3, field_4: 3 } } : {}),
    ...(kind === "dictionary" ? { field_7: { field_1: values, field_2: 0 } } : {}),
    ...(kind === "v2"
      ? {
          field_8: {
            field_1: values,
            field_2: page.nulls ?? 0,
            field_3: values,
            field_4: encoding,
            field_5: definition,
            field_6: repetition,
          },
        }
      : {}),
  };
}

/** The writer asks for ascending fields. */
function inOrder(fields: Readonly<Record<string, unknown>>): object {
  const number = (field: string) => Number(field.slice("field_".length));
  return Object.fromEntries(Object.entries(fields).sort(([a], [b]) => number(a) - number(b)));
}

function thrift(writer: ByteWriter, value: object): void {
  serializeTCompactProtocol(writer, value as Parameters<typeof serializeTCompactProtocol>[1]);
}

/** A variable-length integer. */
export function varint(value: number | bigint): Buffer {
  const bytes: number[] = [];
  for (let left = BigInt.asUintN(64, BigInt(value)); ; left >>= 7n) {
    if (left < 128n) return Buffer.from([...bytes, Number(left)]);
    bytes.push(Number(left & 127n) | 128);
  }
}

export function u32(value: number): Buffer {
  const out = Buffer.alloc(4);
  out.writeUInt32LE(value >>> 0);
  return out;
}
