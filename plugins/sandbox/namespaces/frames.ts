/** A list of fields, each a length (32 bits, big-endian) and that many bytes. Fields may be such lists themselves. */
export type Field = string | number | Uint8Array | readonly Field[];

export function encodeFields(fields: readonly Field[]): Buffer {
  const parts: Uint8Array[] = [];
  for (const field of fields) {
    const bytes = bytesOf(field);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    parts.push(length, bytes);
  }
  return Buffer.concat(parts);
}

function bytesOf(field: Field): Uint8Array {
  if (field instanceof Uint8Array) return field;
  return typeof field === "object" ? encodeFields(field) : Buffer.from(String(field));
}

/** Null where the bytes end in the middle of a field. */
export function decodeFields(bytes: Buffer): Buffer[] | null {
  const fields: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    if (at + 4 > bytes.length) return null;
    const end = at + 4 + bytes.readUInt32BE(at);
    if (end > bytes.length) return null;
    fields.push(bytes.subarray(at + 4, end));
    at = end;
  }
  return fields;
}
