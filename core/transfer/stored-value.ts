import type { FieldValue, Row } from "../data/rows/row.js";
import type { JsonValue } from "../host/types.js";
import { transferErrors } from "./errors.js";
import type { Tag } from "./transfer-queue.js";

/** A deep copy of a row's fields; shares no memory with the original. Undefined fields are left out. */
export function copyRow(row: Row, where: string, select?: readonly string[]): Record<string, FieldValue> {
  const names = select ?? Object.keys(row);
  const copy: Record<string, FieldValue> = {};
  for (const name of names) {
    const value = Object.hasOwn(row, name) ? row[name] : undefined;
    if (value !== undefined) setOwn(copy, name, copyField(value, `${where}, field ${name}`));
  }
  return copy;
}

/** A deep, frozen copy of a tag, so that one object may be handed to every reader. */
export function copyTag(tag: Tag, where: string): Tag {
  const copy: Record<string, JsonValue> = {};
  for (const [name, value] of Object.entries(tag)) {
    if (value !== undefined) setOwn(copy, name, freeze(copyJson(value, `${where}, tag ${name}`)));
  }
  return Object.freeze(copy);
}

/** Bytes that a row is counted with against the queue's capacity: array bytes, two per character, eight per number. */
export function bytesOfRow(row: Row): number {
  let bytes = 0;
  for (const [name, value] of Object.entries(row)) bytes += 2 * name.length + bytesOfField(value);
  return bytes;
}

export function bytesOfField(value: FieldValue): number {
  if (ArrayBuffer.isView(value)) return value.byteLength;
  if (typeof value === "string") return 2 * value.length;
  if (typeof value !== "object" || value === null) return 8;
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + bytesOfField(item), 16);
  return 16 + bytesOfRow(value as Row);
}

function copyField(value: FieldValue, where: string): FieldValue {
  return value instanceof Int32Array || value instanceof Float32Array ? value.slice() : copyJson(value, where);
}

function copyJson(value: unknown, where: string): JsonValue {
  if (value === null || typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
    return value;
  }
  if (Array.isArray(value)) return value.map((item, i) => copyJson(item, `${where}[${i}]`));
  if (typeof value === "object" && isPlain(value)) {
    const copy: Record<string, JsonValue> = {};
    for (const [name, item] of Object.entries(value)) {
      if (item !== undefined) setOwn(copy, name, copyJson(item, `${where}.${name}`));
    }
    return copy;
  }
  throw transferErrors.VERL_QUEUE_BAD_VALUE({ what: `cannot store ${describe(value)}`, where });
}

/** Plain assignment, except that a field named `__proto__` stays data. */
function setOwn<T>(target: Record<string, T>, name: string, value: T): void {
  if (name === "__proto__") Object.defineProperty(target, name, { value, enumerable: true, configurable: true });
  else target[name] = value;
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function freeze(value: JsonValue): JsonValue {
  if (typeof value === "object" && value !== null) {
    for (const item of Object.values(value)) freeze(item);
    Object.freeze(value);
  }
  return value;
}

function describe(value: unknown): string {
  if (typeof value === "object" && value !== null) return `an object of class ${value.constructor?.name ?? "unknown"}`;
  return value === undefined ? "undefined" : `a ${typeof value}`;
}
