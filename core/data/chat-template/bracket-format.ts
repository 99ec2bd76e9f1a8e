import { fail } from "./errors.js";
import { formatValue } from "./format-spec.js";
import { joinTexts, repr, str } from "./text.js";
import type { KeywordArguments, PyValue } from "./values.js";
import { spendText } from "./work.js";

const MAX_NESTING = 2;

/** How a field like `{a.b[c]}` reads from its argument. */
export interface FieldAccess {
  getAttribute(value: PyValue, name: string): PyValue;
  getItem(value: PyValue, key: PyValue): PyValue;
}

/** Python's `template.format(*args, **kwargs)`. */
export function bracketFormat(
  template: string,
  args: readonly PyValue[],
  kwargs: KeywordArguments,
  access: FieldAccess,
): string {
  const numbering = { next: 0 };
  return expand(template, numbering, 0);

  function expand(text: string, auto: { next: number }, depth: number): string {
    if (depth > MAX_NESTING) return fail("ValueError", "Max string recursion exceeded");
    const out: string[] = [];
    for (let at = 0; at < text.length; ) {
      const character = text[at];
      if (character !== "{" && character !== "}") {
        const next = text.slice(at).search(/[{}]/);
        const end = next < 0 ? text.length : at + next;
        out.push(text.slice(at, end));
        at = end;
        continue;
      }
      if (text[at + 1] === character) {
        out.push(character);
        at += 2;
        continue;
      }
      if (character === "}") return fail("ValueError", "Single '}' encountered in format string");
      const end = closing(text, at);
      out.push(field(text.slice(at + 1, end), auto, depth));
      at = end + 1;
    }
    return joinTexts(out, "");
  }

  function field(content: string, auto: { next: number }, depth: number): string {
    const [, name, conversion, spec] =
      /^([^!:]*)(?:!(.))?(?::(.*))?$/su.exec(content) ?? fail("ValueError", "bad format field");
    const value = lookUp(name, auto);
    const nested = spec === undefined ? "" : expand(spec, auto, depth + 1);
    return formatValue(conversion ? convert(value, conversion) : value, nested);
  }

  function lookUp(name: string, auto: { next: number }): PyValue {
    const [, first, rest] = /^([^.[]*)(.*)$/su.exec(name) as RegExpExecArray;
    let value: PyValue | undefined;
    if (first === "") value = args[auto.next++];
    else value = /^\d+$/.test(first) ? args[Number(first)] : kwargs.get(first);
    if (value === undefined) return fail(/^\d*$/.test(first) ? "IndexError" : "KeyError", `no argument for {${name}}`);
    for (const [, attribute, key] of rest.matchAll(/\.([^.[]+)|\[([^\]]+)\]/g)) {
      value = attribute
        ? access.getAttribute(value, attribute)
        : access.getItem(value, /^\d+$/.test(key) ? BigInt(key) : key);
    }
    return value;
  }
}

function closing(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    if (text[at] === "{") depth++;
    if (text[at] === "}" && --depth === 0) return at;
  }
  return fail("ValueError", "expected '}' before end of string");
}

function convert(value: PyValue, conversion: string): string {
  if (conversion === "s") return str(value);
  if (conversion === "r") return repr(value);
  if (conversion === "a") {
    const text = repr(value);
    spendText(text.length);
    return text.replace(/[\u0080-\u{10ffff}]/gu, (character) => {
      const code = character.codePointAt(0) as number;
      const hex = code.toString(16);
      return code <= 0xff ? `\\x${hex}` : code <= 0xffff ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
    });
  }
  return fail("ValueError", `Unknown conversion specifier '${conversion}'`);
}
