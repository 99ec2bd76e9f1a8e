import { shown } from "../../host/util/shown.js";

export const PLAIN_FIX = "put plain data into extraFields and metrics: texts, numbers, lists and objects of them";

/** Checked by themselves, and long. */
const TOKENS = ["promptIds", "responseIds", "responseMask", "responseLogProbs"];

/**
 * The first field of what a loop returned that cannot be kept, or cross from a thread; null where all can. What JSON has another
 * form for (a date, a large whole number, a cycle) is kept in that form.
 */
export function plainProblem(output: Readonly<Record<string, unknown>>): string | null {
  for (const [part, value] of Object.entries(output)) {
    const found = TOKENS.includes(part) ? null : unkept(value, part, new Set());
    if (found !== null) return found;
  }
  return null;
}

function unkept(value: unknown, name: string, seen: Set<object>): string | null {
  if (typeof value === "function" || typeof value === "symbol") {
    return `${name} is a ${typeof value}, which is no data: ${cut(String(value))}`;
  }
  if (typeof value !== "object" || value === null || seen.has(value)) return null;
  seen.add(value);
  if (value instanceof Promise || value instanceof WeakMap || value instanceof WeakSet) {
    return `${name} is a ${value.constructor.name}, which is no data`;
  }
  // Of bytes nothing is to be looked at.
  if (ArrayBuffer.isView(value)) return null;
  for (const [key, item] of Object.entries(value)) {
    const inList = Array.isArray(value) ? `${name}[${key}]` : `${name}[${shown(key)}]`;
    const place = /^[A-Za-z_$][\w$]*$/.test(key) ? `${name}.${key}` : inList;
    const found = unkept(item, place, seen);
    if (found !== null) return found;
  }
  return null;
}

const cut = (text: string): string => (text.length <= 60 ? text : `${text.slice(0, 60)}…`);
