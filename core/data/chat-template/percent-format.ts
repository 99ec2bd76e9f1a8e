import { asFloat, isNumber } from "./arithmetic.js";
import { fail } from "./errors.js";
import { formatFloat, formatInteger, limited, pad } from "./format-spec.js";
import { codePoints, joinTexts, length, repr, str } from "./text.js";
import { PyDict, PyRange, PyTuple, type PyValue, typeName } from "./values.js";

const DIRECTIVE = /%(?:\(([^)]*)\))?([-+ #0]*)(\*|\d+)?(?:\.(\*|\d+)?)?[hlL]?([diouxXeEfFgGcrsa%])?/sy;

/** Python's `template % values`. */
export function percentFormat(template: string, values: PyValue): string {
  const items = values instanceof PyTuple ? values.items : [values];
  const mapping = values instanceof PyDict ? values : null;
  let used = 0;
  let named = false;
  const next = (): PyValue => {
    if (used >= items.length) return fail("TypeError", "not enough arguments for format string");
    return items[used++];
  };
  const directive = ([text, key, flags, width, precision, type]: RegExpExecArray): string => {
    if (type === undefined) return fail("ValueError", "incomplete or unsupported format");
    if (key !== undefined) named = true;
    let size = width === "*" ? starArgument(next()) : limited(width, 0);
    const left = flags.includes("-") || size < 0;
    size = Math.abs(size);
    const hasPrecision = precision !== undefined || /\.[hlL]?[a-zA-Z]$/.test(text);
    const digits = !hasPrecision ? null : precision === "*" ? Math.max(0, starArgument(next())) : limited(precision, 0);
    if (type === "%") return "%";
    let value: PyValue;
    if (key === undefined) value = next();
    else if (mapping === null) return fail("TypeError", "format requires a mapping");
    else {
      const found = mapping.get(key);
      value = found === undefined ? fail("KeyError", repr(key)) : found;
    }
    const body = convert(value, type, flags, digits);
    const zero = flags.includes("0") && !left && body.numeric;
    if (zero) return body.prefix + body.digits.padStart(size - body.prefix.length, "0");
    return pad(body.prefix + body.digits, " ", left ? "<" : ">", size);
  };

  // One directive after the other: the first bad one ends it, before later ones are searched for.
  const out: string[] = [];
  for (let at = 0; at < template.length; ) {
    const start = template.indexOf("%", at);
    out.push(template.slice(at, start < 0 ? undefined : start));
    if (start < 0) break;
    DIRECTIVE.lastIndex = start;
    const match = DIRECTIVE.exec(template) as RegExpExecArray;
    out.push(directive(match));
    at = start + match[0].length;
  }
  // Python asks only whether the value could be a mapping, which lists and ranges could.
  const maybeMapping = mapping !== null || Array.isArray(values) || values instanceof PyRange;
  if (used < items.length && !named && !maybeMapping) {
    return fail("TypeError", "not all arguments converted during string formatting");
  }
  return joinTexts(out, "");
}

interface Converted {
  readonly prefix: string;
  readonly digits: string;
  readonly numeric: boolean;
}

function convert(value: PyValue, type: string, flags: string, precision: number | null): Converted {
  if (type === "s" || type === "r" || type === "a") {
    const text = type === "s" ? str(value) : repr(value);
    return {
      prefix: "",
      digits: precision === null ? text : codePoints(text).slice(0, precision).join(""),
      numeric: false,
    };
  }
  if (type === "c") {
    const character = typeof value === "bigint" ? formatInteger(value, "c", false).digits : str(value);
    return length(character) === 1
      ? { prefix: "", digits: character, numeric: false }
      : fail("TypeError", "%c requires int or char");
  }
  if (!isNumber(value)) return fail("TypeError", `%${type} format: a real number is required, not ${typeName(value)}`);
  const alternate = flags.includes("#");
  const sign = flags.includes("+") ? "+" : flags.includes(" ") ? " " : "";
  if ("diouxX".includes(type)) {
    if (typeof value === "number" && "oxX".includes(type)) {
      return fail("TypeError", `%${type} format: an integer is required, not float`);
    }
    const integer = typeof value === "number" ? truncate(value) : BigInt(value);
    const body = formatInteger(integer, "iu".includes(type) ? "d" : type, alternate);
    const digits = body.digits.padStart(precision ?? 0, "0");
    return { prefix: (body.negative ? "-" : sign) + body.prefix, digits, numeric: true };
  }
  const body = formatFloat(asFloat(value), type, precision ?? 6, alternate);
  return { prefix: body.negative ? "-" : sign, digits: body.digits, numeric: true };
}

/** Towards zero, exactly. */
export function truncate(value: number): bigint {
  if (!Number.isFinite(value)) {
    return fail(
      Number.isNaN(value) ? "ValueError" : "OverflowError",
      `cannot convert float ${fixedName(value)} to integer`,
    );
  }
  return BigInt(Math.trunc(value));
}

function fixedName(value: number): string {
  return Number.isNaN(value) ? "NaN" : "infinity";
}

function starArgument(value: PyValue): number {
  if (typeof value !== "bigint") return fail("TypeError", "* wants int");
  return value < 0n ? -limited((-value).toString(), 0) : limited(value.toString(), 0);
}
