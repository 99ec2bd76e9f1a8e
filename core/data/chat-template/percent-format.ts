import { asFloat, isNumber } from "./arithmetic.js";
import { fail } from "./errors.js";
import { characterOf, floatDigits, integerDigits, isNegative, limited, pad, signOf } from "./format-spec.js";
import { ascii, codePoints, joinTexts, length, repr, str } from "./text.js";
import { Markup, PyDict, PyRange, PyTuple, type PyValue, typeName, Undefined } from "./values.js";

const DIRECTIVE = /([-+ #0]*)(\*|\d+)?(?:(\.)(\*|\d+)?)?[hlL]?(.)?/suy;

/** How texts are put in: as they are, or escaped if the template is safe markup. */
export type Insert = (text: PyValue) => string;

/** Python's `template % values`. */
export function percentFormat(template: string, values: PyValue, insert: Insert = str): string {
  return new Formatter(values, insert).format(template);
}

class Formatter {
  private readonly items: readonly PyValue[];
  private readonly mapping: PyDict | null;
  private used = 0;

  constructor(
    private readonly values: PyValue,
    private readonly insert: Insert,
  ) {
    this.items = values instanceof PyTuple ? values.items : [values];
    this.mapping = values instanceof PyDict ? values : null;
  }

  format(template: string): string {
    const out: string[] = [];
    for (let at = 0; at < template.length; ) {
      const percent = template.indexOf("%", at);
      out.push(template.slice(at, percent < 0 ? template.length : percent));
      if (percent < 0) break;
      const { text, end } = this.directive(template, percent + 1);
      out.push(text);
      at = end;
    }
    if (this.used < this.items.length && !this.mayBeMapping()) {
      return fail("TypeError", "not all arguments converted during string formatting");
    }
    return joinTexts(out, "");
  }

  private directive(template: string, start: number): { text: string; end: number } {
    if (template[start] === "%") return { text: "%", end: start + 1 };
    const key = template[start] === "(" ? this.key(template, start) : null;
    const named = key && this.named(key.name);
    DIRECTIVE.lastIndex = key ? key.end : start;
    const [, flags, width, point, precision, type] = DIRECTIVE.exec(template) as RegExpExecArray;
    const end = DIRECTIVE.lastIndex;
    const given = width === "*" ? this.starArgument() : limited(width, 0);
    const digits = !point ? null : precision === "*" ? Math.max(0, this.starArgument()) : limited(precision, 0);
    if (type === undefined) return fail("ValueError", "incomplete format");
    const value = named ? named.value : this.next();
    const left = flags.includes("-") || given < 0;
    return { text: this.convert(value, { type, flags, width: Math.abs(given), left, digits }), end };
  }

  /** The name in parentheses, which may hold parentheses itself. */
  private key(template: string, start: number): { name: string; end: number } {
    let depth = 0;
    for (let at = start; at < template.length; at++) {
      if (template[at] === "(") depth++;
      if (template[at] === ")" && --depth === 0) return { name: template.slice(start + 1, at), end: at + 1 };
    }
    return fail("ValueError", "incomplete format key");
  }

  private named(name: string): { value: PyValue } {
    // One value is used, whatever its name: nothing counts as left over.
    this.used = this.items.length;
    if (!this.mapping) return fail("TypeError", "format requires a mapping");
    const value = this.mapping.get(name);
    return value === undefined ? fail("KeyError", repr(name)) : { value };
  }

  private next(): PyValue {
    if (this.used >= this.items.length) return fail("TypeError", "not enough arguments for format string");
    return this.items[this.used++];
  }

  private starArgument(): number {
    const value = this.next();
    if (typeof value !== "bigint" && typeof value !== "boolean") return fail("TypeError", "* wants int");
    const number = BigInt(value);
    return number < 0n ? -limited((-number).toString(), 0) : limited(number.toString(), 0);
  }

  /** Python asks only whether the values could be a mapping, which lists and ranges could. */
  private mayBeMapping(): boolean {
    const { values } = this;
    return this.mapping !== null || Array.isArray(values) || values instanceof PyRange || values instanceof Undefined;
  }

  private convert(value: PyValue, directive: Directive): string {
    const { type, width, left } = directive;
    if ("srac".includes(type)) return pad(this.textOf(value, directive), " ", left ? "<" : ">", width);
    const { prefix, digits } = numberOf(value, directive);
    if (!directive.flags.includes("0") || left) return pad(prefix + digits, " ", left ? "<" : ">", width);
    return prefix + digits.padStart(width - prefix.length, "0");
  }

  private textOf(value: PyValue, { type, digits }: Directive): string {
    if (type === "c") return character(value);
    const text = type === "s" ? this.insert(value) : type === "r" ? this.insert(repr(value)) : ascii(value);
    return digits === null ? text : codePoints(text).slice(0, digits).join("");
  }
}

interface Directive {
  readonly type: string;
  readonly flags: string;
  readonly width: number;
  readonly left: boolean;
  readonly digits: number | null;
}

function character(value: PyValue): string {
  if (typeof value === "bigint" || typeof value === "boolean") return characterOf(BigInt(value));
  if ((typeof value === "string" || value instanceof Markup) && length(str(value)) === 1) return str(value);
  return fail("TypeError", "%c requires int or char");
}

function numberOf(value: PyValue, { type, flags, digits }: Directive): { prefix: string; digits: string } {
  if (!"diouxXeEfFgG".includes(type)) return fail("ValueError", `unsupported format character '${type}'`);
  if (value instanceof Undefined) value.fail();
  if (!isNumber(value)) return fail("TypeError", `%${type} format: a real number is required, not ${typeName(value)}`);
  const alternate = flags.includes("#");
  const sign = flags.includes("+") ? "+" : flags.includes(" ") ? " " : "";
  if (!"diouxX".includes(type)) {
    const float = asFloat(value);
    const text = floatDigits(float, type, digits ?? 6, alternate);
    return { prefix: signOf(isNegative(float), sign), digits: text };
  }
  if (typeof value === "number" && "oxX".includes(type)) {
    return fail("TypeError", `%${type} format: an integer is required, not float`);
  }
  const integer = typeof value === "number" ? truncate(value) : BigInt(value);
  const body = integerDigits(integer, "iu".includes(type) ? "d" : type, alternate);
  return { prefix: signOf(integer < 0n, sign) + body.prefix, digits: body.digits.padStart(digits ?? 0, "0") };
}

/** Towards zero, exactly. */
export function truncate(value: number): bigint {
  if (Number.isFinite(value)) return BigInt(Math.trunc(value));
  if (Number.isNaN(value)) return fail("ValueError", "cannot convert float NaN to integer");
  return fail("OverflowError", "cannot convert float infinity to integer");
}
