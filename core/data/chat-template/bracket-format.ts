import { fail } from "./errors.js";
import { formatValue } from "./format-spec.js";
import { ascii, joinTexts, repr, str } from "./text.js";
import { asciiDigits } from "./unicode.js";
import type { PyValue } from "./values.js";

const MAX_NESTING = 2;
const BRACE = /[{}]/g;

/** Where the values of the fields come from, and what becomes of them. */
export interface FieldSource {
  positional(index: number): PyValue | undefined;
  named(name: string): PyValue | undefined;
  attribute(value: PyValue, name: string): PyValue;
  item(value: PyValue, key: PyValue): PyValue;
  /** The text of a field; {@link formatValue}, unless the template is safe markup. */
  format?(value: PyValue, spec: string): string;
}

/** Python's `string.Formatter().vformat(template, …)`, which is what `template.format(…)` means in Jinja's sandbox. */
export function bracketFormat(template: string, source: FieldSource): string {
  return new Formatter(source).expand(template, 0);
}

interface Field {
  readonly name: string;
  readonly conversion: string;
  readonly spec: string;
}

class Formatter {
  /** Position of the next field without a name; null once fields have been numbered by hand. */
  private next: number | null = 0;

  constructor(private readonly source: FieldSource) {}

  expand(text: string, depth: number): string {
    if (depth > MAX_NESTING) return fail("ValueError", "Max string recursion exceeded");
    const out: string[] = [];
    for (let at = 0; at < text.length; ) {
      BRACE.lastIndex = at;
      const start = BRACE.exec(text)?.index ?? text.length;
      out.push(text.slice(at, start));
      at = start;
      if (at === text.length) break;
      if (text[at + 1] === text[at]) {
        out.push(text[at]);
        at += 2;
      } else {
        if (text[at] === "}" || at + 1 === text.length) {
          return fail("ValueError", `Single '${text[at]}' encountered in format string`);
        }
        const [field, end] = parseField(text, at + 1);
        out.push(this.field(field, depth));
        at = end;
      }
    }
    return joinTexts(out, "");
  }

  private field({ name, conversion, spec }: Field, depth: number): string {
    const value = convert(this.lookUp(this.numbered(name)), conversion);
    const expanded = this.expand(spec, depth + 1);
    return this.source.format ? this.source.format(value, expanded) : formatValue(value, expanded);
  }

  private numbered(name: string): string {
    if (name === "") {
      if (this.next === null) return fail("ValueError", "cannot switch from manual to automatic field numbering");
      return String(this.next++);
    }
    if (/^\d+$/.test(asciiDigits(name))) {
      if (this.next) return fail("ValueError", "cannot switch from automatic to manual field numbering");
      this.next = null;
    }
    return name;
  }

  private lookUp(field: string): PyValue {
    const [, first, path] = /^([^.[]*)(.*)$/su.exec(field) as RegExpExecArray;
    const index = indexOf(first);
    let value = index === null ? this.source.named(first) : this.source.positional(Number(index));
    if (value === undefined) return fail(index === null ? "KeyError" : "IndexError", `no argument for {${field}}`);
    for (let rest = path; rest !== ""; ) {
      const step = /^(?:\.([^.[]+)|\[([^\]]+)\])/su.exec(rest) ?? fail("ValueError", `bad format field {${field}}`);
      const [whole, attribute, key] = step;
      value = attribute ? this.source.attribute(value, attribute) : this.source.item(value, indexOf(key) ?? key);
      rest = rest.slice(whole.length);
    }
    return value;
  }
}

function indexOf(text: string): bigint | null {
  const digits = asciiDigits(text);
  return /^\d+$/.test(digits) ? BigInt(digits) : null;
}

const FIELD_NAME = /(?:[^[{}:!]|\[[^\]]*\]?)*/suy;

/** The field whose name starts here, and the position after its closing brace. */
function parseField(text: string, start: number): [Field, number] {
  FIELD_NAME.lastIndex = start;
  const [name] = FIELD_NAME.exec(text) as RegExpExecArray;
  let at = start + name.length;
  let conversion = "";
  if (text[at] === "!") {
    conversion = String.fromCodePoint(text.codePointAt(at + 1) ?? fail("ValueError", "a conversion is missing"));
    at += 1 + conversion.length;
    if (text[at] === "}") return [{ name, conversion, spec: "" }, at + 1];
    if (at < text.length && text[at] !== ":") return fail("ValueError", "expected ':' after conversion specifier");
  } else if (text[at] === "}") return [{ name, conversion, spec: "" }, at + 1];
  if (text[at] !== ":") return fail("ValueError", "expected '}' before end of string");
  let depth = 1;
  for (let end = at + 1; end < text.length; end++) {
    if (text[end] === "{") depth++;
    if (text[end] === "}" && --depth === 0) return [{ name, conversion, spec: text.slice(at + 1, end) }, end + 1];
  }
  return fail("ValueError", "unmatched '{' in format spec");
}

function convert(value: PyValue, conversion: string): PyValue {
  switch (conversion) {
    case "":
      return value;
    case "s":
      return str(value);
    case "r":
      return repr(value);
    case "a":
      return ascii(value);
    default:
      return fail("ValueError", `Unknown conversion specifier '${conversion}'`);
  }
}
