import type { JsonValue } from "../host/types.js";

/**
 * Any value as plain data: typed arrays become lists, dates and big integers texts, whatever JSON cannot hold (functions,
 * symbols, cycles) null. Numbers stay as they are, NaN included.
 */
export function toJsonValue(value: unknown): JsonValue {
  return convert(value, new Set());
}

function convert(value: unknown, parents: Set<object>): JsonValue {
  if (value === null || typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
    return value;
  }
  if (typeof value === "bigint") return value.toString();
  if (typeof value !== "object" || parents.has(value)) return null;
  if (typeof (value as { toJSON?: unknown }).toJSON === "function") {
    return convert((value as { toJSON(): unknown }).toJSON(), new Set([...parents, value]));
  }
  parents.add(value);
  try {
    if (Array.isArray(value)) return value.map((item) => convert(item, parents));
    if (ArrayBuffer.isView(value) && !(value instanceof DataView)) {
      return Array.from(value as unknown as ArrayLike<unknown>, (item) => convert(item, parents));
    }
    return Object.fromEntries(
      Object.entries(value)
        .filter(([, item]) => item !== undefined)
        .map(([key, item]) => [key, convert(item, parents)]),
    );
  } finally {
    parents.delete(value);
  }
}
