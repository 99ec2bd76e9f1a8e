import { add, divide, fromDecimal, multiply, power, type Rational, rational } from "./rational.js";

/** Digits that repeat: `0.1\overline{6}`. */
const REPEATING = /(\d*)\.(\d*)\\(?:overline|bar)\s*\{?(\d+)\}?/y;
/** LaTeX's ways to group digits, which separate nothing. */
const GROUPED = /\d{1,3}(?:(?:\{,\}|,\\! ?|\\,|\\!|\\;|\\ )\d{3})+(?!\d)(?:\.\d+)?/y;
const COMMAS = /\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?/y;
const SPACES = /\d{1,3}(?: \d{3})+(?![\d/])(?:\.\d+)?/y;
const PLAIN = /\d+(?:\.\d+)?|\.\d+/y;
const EXPONENT = /[eE]([-+]?\d{1,3})(?![\d\p{L}])/uy;
const ORDINAL = /(?:st|nd|rd|th)(?!\p{L})/uy;

export interface ReadNumber {
  readonly text: string;
  readonly value: Rational;
  readonly end: number;
}

/** The unsigned number at a position, or null. A comma groups thousands only where that is asked for. */
export function readNumber(text: string, at: number, thousands: boolean): ReadNumber | null {
  const match = (pattern: RegExp, from: number) => {
    pattern.lastIndex = from;
    return pattern.exec(text);
  };
  const first = text.charCodeAt(at);
  if (!(first >= 48 && first <= 57) && first !== 46) return null;
  const repeating = match(REPEATING, at);
  if (repeating) return { text: repeating[0], value: repeated(repeating), end: REPEATING.lastIndex };
  const found = match(GROUPED, at) ?? (thousands ? match(COMMAS, at) : null) ?? match(SPACES, at) ?? match(PLAIN, at);
  if (!found) return null;
  let end = at + found[0].length;
  let value = fromDecimal(found[0].replace(/[^\d.]/g, ""));
  const exponent = match(EXPONENT, end);
  if (exponent) {
    value = multiply(value, power(rational(10), Number(exponent[1])));
    end = EXPONENT.lastIndex;
  } else if (match(ORDINAL, end)) end = ORDINAL.lastIndex;
  return { text: text.slice(at, end), value, end };
}

/** a.b\overline{c} = a.b + c / (10^|b| (10^|c| − 1)). */
function repeated([, whole, fixed, period]: RegExpExecArray): Rational {
  const tail = divide(rational(BigInt(period)), rational(10n ** BigInt(period.length) - 1n));
  return add(
    fromDecimal(`${whole}.${fixed}`.replace(/^\./, "0.")),
    divide(tail, rational(10n ** BigInt(fixed.length))),
  );
}
