import { HTML_ENTITIES } from "./html-entities.js";

const REFERENCE = /&(#[0-9]+;?|#[xX][0-9a-fA-F]+;?|[^\t\n\f <&#;]{1,32};?)/gu;

/** Python's `html.unescape`: character references as HTML5 reads them, even without their semicolon. */
export function unescapeHtml(text: string): string {
  return text.replace(REFERENCE, (_, reference: string) =>
    reference.startsWith("#") ? numbered(reference.slice(1)) : named(reference),
  );
}

function named(reference: string): string {
  const found = NAMES.get(reference);
  if (found !== undefined) return found;
  for (let end = reference.length - 1; end > 1; end--) {
    const prefix = NAMES.get(reference.slice(0, end));
    if (prefix !== undefined) return prefix + reference.slice(end);
  }
  return `&${reference}`;
}

const NAMES: ReadonlyMap<string, string> = new Map(
  HTML_ENTITIES.trimEnd()
    .split(" ")
    .flatMap((entry) => {
      const [, mark, name, text] = /^(!?)([^=]+)=(.*)$/su.exec(entry) as RegExpExecArray;
      return [[`${name};`, text] as const, ...(mark ? [[name, text] as const] : [])];
    }),
);

/** What browsers make of the codes of Windows-1252, in order from 0x80. */
const WINDOWS_1252 = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";

function numbered(reference: string): string {
  const digits = reference.replace(/;$/, "");
  const code = /^x/i.test(digits) ? Number.parseInt(digits.slice(1), 16) : Number(digits);
  if (code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return "\ufffd";
  if (code >= 0x80 && code <= 0x9f) return WINDOWS_1252[code - 0x80];
  if (code === 0x0d) return "\r";
  const isControl = (code < 0x20 && code !== 9 && code !== 10 && code !== 12) || code === 0x7f;
  const isNonCharacter = (code >= 0xfdd0 && code <= 0xfdef) || (code & 0xfffe) === 0xfffe;
  return isControl || isNonCharacter ? "" : String.fromCodePoint(code);
}
