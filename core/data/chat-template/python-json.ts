import { fail } from "./errors.js";
import { compare } from "./operators.js";
import { floatText, integerText, joinTexts, repeatText, str } from "./text.js";
import { Markup, PyDict, PyTuple, type PyValue, typeName } from "./values.js";
import { enter, leave, spend, spendText } from "./work.js";

export interface DumpOptions {
  readonly ensureAscii?: boolean;
  /** Text of one level of indentation; null for one line. */
  readonly indent?: string | null;
  readonly separators?: readonly [string, string] | null;
  readonly sortKeys?: boolean;
}

/** Python's `json.dumps`. */
export function dumps(value: PyValue, options: DumpOptions = {}): string {
  const { indent = null, separators = null } = options;
  const [item, key] = separators ?? [indent === null ? ", " : ",", ": "];
  return new Writer(options.ensureAscii ?? false, indent, item, key, options.sortKeys ?? false).write(value, 0);
}

class Writer {
  constructor(
    private readonly ascii: boolean,
    private readonly indent: string | null,
    private readonly itemSeparator: string,
    private readonly keySeparator: string,
    private readonly sortKeys: boolean,
  ) {}

  write(value: PyValue, depth: number): string {
    if (value === null) return "null";
    switch (typeof value) {
      case "boolean":
        return value ? "true" : "false";
      case "bigint":
        return integerText(value);
      case "number":
        return jsonFloat(value);
      case "string":
        return this.text(value);
    }
    if (Array.isArray(value)) return this.list(value, depth);
    if (value instanceof PyTuple) return this.list(value.items, depth);
    if (value instanceof PyDict) return this.dict(value, depth);
    if (value instanceof Markup) return this.text(value.text);
    return fail("TypeError", `Object of type ${typeName(value)} is not JSON serializable`);
  }

  private list(items: readonly PyValue[], depth: number): string {
    if (items.length === 0) return "[]";
    spend(items.length);
    enter(2);
    const parts = items.map((item) => this.write(item, depth + 1));
    leave(2);
    return this.block("[", parts, "]", depth);
  }

  private dict(dict: PyDict, depth: number): string {
    if (dict.len() === 0) return "{}";
    spend(dict.len());
    enter(2);
    let entries = [...dict.entries()];
    if (this.sortKeys) entries = entries.sort(([a], [b]) => compare(a, b, "<"));
    const parts = entries.map(
      ([key, value]) => `${this.text(keyText(key))}${this.keySeparator}${this.write(value, depth + 1)}`,
    );
    leave(2);
    return this.block("{", parts, "}", depth);
  }

  private block(open: string, parts: readonly string[], close: string, depth: number): string {
    if (this.indent === null) return `${open}${joinTexts(parts, this.itemSeparator)}${close}`;
    const outer = `\n${repeatText(this.indent, depth)}`;
    const inner = outer + this.indent;
    return `${open}${inner}${joinTexts(parts, this.itemSeparator + inner)}${outer}${close}`;
  }

  private text(text: string): string {
    return quoteJson(text, this.ascii);
  }
}

function keyText(key: PyValue): string {
  if (key === null) return "null";
  if (typeof key === "boolean") return key ? "true" : "false";
  if (typeof key === "number") return jsonFloat(key);
  if (typeof key === "string" || typeof key === "bigint" || key instanceof Markup) return str(key);
  return fail("TypeError", `keys must be str, int, float, bool or None, not ${typeName(key)}`);
}

function jsonFloat(value: number): string {
  if (Number.isFinite(value)) return floatText(value);
  return Number.isNaN(value) ? "NaN" : value < 0 ? "-Infinity" : "Infinity";
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that Python names
const SPECIAL = /["\\\u0000-\u001f]/g;

/** `JSON.stringify` escapes lone surrogates, Python does so only in ASCII mode. */
function quoteJson(text: string, ascii: boolean): string {
  spendText(text.length);
  const escaped = text.replace(SPECIAL, (character) => JSON.stringify(character).slice(1, -1));
  const unit = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return `"${ascii ? escaped.replace(/[\u007f-\uffff]/g, unit) : escaped}"`;
}
