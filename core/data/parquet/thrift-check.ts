import type { ByteReader } from "./byte-reader.js";

/** Types of Thrift's compact protocol. */
const [STOP, TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, STRUCT] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12];
const MAX_DEPTH = 32;

/**
 * Walk over a Thrift struct, as which Parquet stores its footer and page headers, before a parser makes objects of it: lists are
 * no longer than what is left, numbers no longer than 64 bits, and nothing lies deep inside itself.
 */
export function checkThriftStruct(reader: ByteReader, depth = 0): void {
  if (depth > MAX_DEPTH) throw new Error("its metadata lie too deep inside each other");
  for (;;) {
    const field = reader.u8();
    if ((field & 0x0f) === STOP) return;
    // Numbers of fields are given as steps, or where the step is large, in full.
    if (field >> 4 === 0) reader.varint(32);
    checkValue(reader, field & 0x0f, depth, false);
  }
}

function checkValue(reader: ByteReader, type: number, depth: number, inList: boolean): void {
  switch (type) {
    case TRUE:
    case FALSE:
      if (inList) reader.skip(1);
      break;
    case BYTE:
      reader.skip(1);
      break;
    case I16:
    case I32:
      reader.varint(32);
      break;
    case I64:
      reader.varint(64);
      break;
    case DOUBLE:
      reader.skip(8);
      break;
    case BINARY:
      reader.skip(reader.varint(32));
      break;
    case LIST:
      checkList(reader, depth);
      break;
    case STRUCT:
      checkThriftStruct(reader, depth + 1);
      break;
    default:
      throw new Error(`its metadata hold the unknown type ${type}`);
  }
}

function checkList(reader: ByteReader, depth: number): void {
  if (depth > MAX_DEPTH) throw new Error("its metadata lie too deep inside each other");
  const head = reader.u8();
  const size = head >> 4 === 15 ? reader.varint(32) : head >> 4;
  // Every element takes a byte at least.
  if (size > reader.left) throw new Error(`a list claims ${size} elements where ${reader.left} bytes are left`);
  for (let i = 0; i < size; i++) checkValue(reader, head & 0x0f, depth + 1, true);
}
