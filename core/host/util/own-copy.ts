/**
 * A copy that code of others may change: lists, plain objects and lists of numbers are copied to their depths, dates, maps and sets
 * too, without what marks them as frozen. Bytes (media) and objects of classes are the same ones.
 */
export const ownCopy = <T>(value: T): T => copy(value, new Map()) as T;

function copy(value: unknown, known: Map<object, unknown>): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Uint8Array || value instanceof Uint8ClampedArray) return value;
  const found = known.get(value);
  if (found !== undefined) return found;
  const keep = <C>(made: C): C => {
    known.set(value, made);
    return made;
  };
  if (Array.isArray(value)) {
    const list: unknown[] = keep([]);
    for (let i = 0; i < value.length; i++) list.push(copy(value[i], known));
    return list;
  }
  if (ArrayBuffer.isView(value)) return keep(value instanceof DataView ? value : (value as Float32Array).slice());
  if (value instanceof Date) return keep(new Date(value));
  if (value instanceof Set) {
    const set = keep(new Set<unknown>());
    for (const item of value) set.add(copy(item, known));
    return set;
  }
  if (value instanceof Map) {
    const map = keep(new Map<unknown, unknown>());
    for (const [name, item] of value) map.set(copy(name, known), copy(item, known));
    return map;
  }
  const prototype = Object.getPrototypeOf(value) as object | null;
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return value;
  const object: Record<string, unknown> = keep({});
  for (const [name, item] of Object.entries(value)) {
    if (name !== "__proto__") object[name] = copy(item, known);
    else Object.defineProperty(object, name, { ...OWN, value: copy(item, known) });
  }
  return object;
}

/** A member called `__proto__` is data like any other. */
const OWN = { enumerable: true, configurable: true, writable: true };
