/**
 * Text operations as Python does them, for scorers that must agree with verl letter for letter: positions count code
 * points, and white space is Python's (which has the separators U+001C to U+001F and U+0085, and not U+FEFF).
 */

export const PYTHON_SPACE = String.raw`\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000`;

const RUN = new RegExp(`[${PYTHON_SPACE}]+`);
const LEADING = new RegExp(`^[${PYTHON_SPACE}]+`);

export function strip(text: string): string {
  const start = LEADING.exec(text)?.[0].length ?? 0;
  let end = text.length;
  while (end > start && RUN.test(text[end - 1])) end--;
  return text.slice(start, end);
}

/** Without an argument, Python's `split` cuts at runs of white space and keeps no empty part. */
export const words = (text: string): string[] => text.split(RUN).filter((word) => word !== "");

/** The last `count` code points. */
export function tail(text: string, count: number): string {
  if (text.length <= count) return text;
  return Array.from(text.slice(-2 * count))
    .slice(-count)
    .join("");
}

export const codePoints = (text: string): string[] => Array.from(text);

/** Digits that are no decimals: superscripts, circled digits, Ethiopic, Kharoshthi, … */
const OTHER_DIGITS =
  "²³¹\\u1369-\\u1371\\u19da⁰⁴-⁹₀-₉①-⑨⑴-⑼⒈-⒐⓪⓵-⓽⓿❶-❾➀-➈➊-➒\\u{10a40}-\\u{10a43}\\u{10e60}-\\u{10e68}\\u{11052}-\\u{1105a}🄀-🄊";
const DIGITS = new RegExp(`^[\\p{Nd}${OTHER_DIGITS}]+$`, "u");

/** `str.isdigit`: the digits of every script. */
export const isDigits = (text: string): boolean => DIGITS.test(text);
