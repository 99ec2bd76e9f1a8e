import { getAttribute } from "./access.js";
import { fail } from "./errors.js";
import type { Filter, FilterTable } from "./filter.js";
import { escapeHtml, isIterable, iterate, sizeOf, truthy } from "./operators.js";
import { percentFormat } from "./percent-format.js";
import { dumps } from "./python-json.js";
import { capitalize, center, lower, replace, splitLines, strip } from "./string-methods.js";
import { codePoints, integerArgument, length, repeatText, str, textArgument, WHITE_SPACE } from "./text.js";
import { Markup, orElse, PyDict, PyTuple, type PyValue, Undefined } from "./values.js";
import { spendText } from "./work.js";

/** A filter from text to text that keeps text marked as safe so. */
const onText = (
  parameters: readonly string[],
  body: (text: string, args: readonly (PyValue | undefined)[]) => string,
): Filter => ({
  parameters,
  apply: (value, args) => {
    const result = body(str(value), args);
    return value instanceof Markup ? new Markup(result) : result;
  },
});

const escapeFilter: Filter = {
  parameters: [],
  apply: (value) => (value instanceof Markup ? value : new Markup(escapeHtml(str(value)))),
};

export const TEXT_FILTERS: FilterTable = [
  ["upper", onText([], (text) => text.toUpperCase())],
  ["lower", onText([], (text) => lower(text))],
  ["capitalize", onText([], (text) => capitalize(text))],
  ["title", onText([], (text) => title(text))],
  ["trim", onText(["chars?"], (text, [chars]) => strip(text, chars, "both"))],
  [
    "center",
    onText(["width?"], (text, [width]) => center(text, width === undefined ? 80 : integerArgument(width, "width"))),
  ],
  [
    "replace",
    onText(["old", "new", "count?"], (text, [old, by, count]) =>
      replace(text, str(old as PyValue), str(by as PyValue), count),
    ),
  ],
  ["indent", { parameters: ["width?", "first?", "blank?"], apply: indent }],
  ["truncate", { parameters: ["length?", "killwords?", "end?", "leeway?"], apply: truncate }],
  ["wordcount", { parameters: [], apply: (value) => BigInt([...str(value).matchAll(/[\p{L}\p{N}_]+/gu)].length) }],
  ["string", { parameters: [], apply: (value) => (value instanceof Markup ? value : str(value)) }],
  ["safe", { parameters: [], apply: (value) => new Markup(str(value)) }],
  ["escape", escapeFilter],
  ["e", escapeFilter],
  ["forceescape", { parameters: [], apply: (value) => new Markup(escapeHtml(str(value))) }],
  ["striptags", { parameters: [], apply: (value) => stripTags(str(value)) }],
  ["urlencode", { parameters: [], apply: urlEncode }],
  ["format", { applyFree: (value, args, kwargs) => format(value, args, kwargs) }],
  [
    "tojson",
    {
      parameters: ["ensure_ascii?", "indent?", "separators?", "sort_keys?"],
      apply: (value, [ascii, indentation, separators, sortKeys]) =>
        dumps(value, {
          ensureAscii: ascii !== undefined && truthy(ascii),
          indent: jsonIndent(indentation),
          separators: jsonSeparators(separators),
          sortKeys: sortKeys !== undefined && truthy(sortKeys),
        }),
    },
  ],
  ["attr", { parameters: ["name"], apply: (value, [name]) => attr(value, str(name as PyValue)) }],
  [
    "default",
    {
      parameters: ["default_value?", "boolean?"],
      apply: (value, [fallback, boolean]) => orDefault(value, fallback, boolean),
    },
  ],
  [
    "d",
    {
      parameters: ["default_value?", "boolean?"],
      apply: (value, [fallback, boolean]) => orDefault(value, fallback, boolean),
    },
  ],
];

function orDefault(value: PyValue, fallback: PyValue | undefined, boolean: PyValue | undefined): PyValue {
  const empty = value instanceof Undefined || (boolean !== undefined && truthy(boolean) && !truthy(value));
  return empty ? orElse(fallback, "") : value;
}

/** The attribute only, never an item of that name. */
function attr(value: PyValue, name: string): PyValue {
  if (value instanceof PyDict && value.get(name) !== undefined) {
    const withoutItems = new PyDict();
    return getAttribute(withoutItems, name);
  }
  return getAttribute(value, name);
}

/** Words begin after blanks, hyphens and opening brackets; the rest of each is lowered. */
function title(text: string): string {
  return text
    .split(new RegExp(`([-${WHITE_SPACE}({[<]+)`))
    .filter((part) => part !== "")
    .map((part) => {
      const [first, ...rest] = codePoints(part);
      return first.toUpperCase() + lower(rest.join(""));
    })
    .join("");
}

function indent(value: PyValue, [width, first, blank]: readonly (PyValue | undefined)[]): PyValue {
  const isText = typeof width === "string" || width instanceof Markup;
  const indentation = isText ? str(width) : repeatText(" ", width === undefined ? 4 : integerArgument(width, "width"));
  const lines = splitLines(`${textArgument(value, "the value to indent")}\n`);
  const all = blank !== undefined && truthy(blank);
  spendText(indentation.length * lines.length);
  const rest = lines.slice(1).map((line) => (all || line !== "" ? indentation + line : line));
  const body = [lines[0], ...rest].join("\n");
  return first !== undefined && truthy(first) ? indentation + body : body;
}

function truncate(value: PyValue, [size, killWords, end, leeway]: readonly (PyValue | undefined)[]): PyValue {
  const limit = size === undefined ? 255 : integerArgument(size, "length");
  const ending = end === undefined ? "..." : textArgument(end, "end");
  const slack = leeway === undefined || leeway === null ? 5 : integerArgument(leeway, "leeway");
  if (limit < length(ending) || slack < 0) return fail("FilterArgumentError", "length and leeway are too small");
  if (sizeOf(value) <= limit + slack) return value;
  const cut = codePoints(textArgument(value, "the value to truncate"))
    .slice(0, limit - length(ending))
    .join("");
  if (killWords !== undefined && truthy(killWords)) return cut + ending;
  const space = cut.lastIndexOf(" ");
  return (space < 0 ? cut : cut.slice(0, space)) + ending;
}

function stripTags(text: string): string {
  const plain = withoutSpans(withoutSpans(text, "<!--", "-->"), "<", ">");
  const words = plain.split(new RegExp(`[${WHITE_SPACE}]+`)).filter((word) => word !== "");
  return words.join(" ").replace(/&(#x[0-9a-f]+|#\d+|[a-z]+);/gi, (entity, name: string) => {
    if (name[0] !== "#") return ENTITIES.get(name) ?? entity;
    const code = name[1].toLowerCase() === "x" ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd";
  });
}

/** Without what stands between two marks; an opening mark that is never closed stays. */
function withoutSpans(text: string, open: string, close: string): string {
  const kept: string[] = [];
  let at = 0;
  for (;;) {
    const start = text.indexOf(open, at);
    const end = start < 0 ? -1 : text.indexOf(close, start + open.length);
    if (end < 0) break;
    kept.push(text.slice(at, start));
    at = end + close.length;
  }
  kept.push(text.slice(at));
  return kept.join("");
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
  ["nbsp", "\u00a0"],
]);

function urlEncode(value: PyValue): string {
  if (typeof value === "string" || value instanceof Markup || !isIterable(value)) return quote(str(value), "/");
  const pairs = value instanceof PyDict ? [...value.entries()] : [...iterate(value)].map((pair) => [...iterate(pair)]);
  if (pairs.some((pair) => pair.length !== 2)) return fail("ValueError", "urlencode needs a mapping or pairs");
  return pairs.map(([key, item]) => `${quoteQuery(str(key))}=${quoteQuery(str(item))}`).join("&");
}

function quote(text: string, safe: string): string {
  const kept = new RegExp(`[A-Za-z0-9_.~${safe}-]`);
  return Array.from(Buffer.from(text, "utf8"), (byte) => {
    const character = String.fromCharCode(byte);
    return byte < 0x80 && kept.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }).join("");
}

function quoteQuery(text: string): string {
  return quote(text, "").replaceAll("%20", "+");
}

function format(value: PyValue, args: readonly PyValue[], kwargs: ReadonlyMap<string, PyValue>): PyValue {
  if (args.length > 0 && kwargs.size > 0) {
    return fail("FilterArgumentError", "can't handle positional and keyword arguments at the same time");
  }
  return percentFormat(str(value), kwargs.size > 0 ? PyDict.of(kwargs) : new PyTuple(args));
}

function jsonIndent(value: PyValue | undefined): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === "string") return value;
  return repeatText(" ", integerArgument(value, "indent"));
}

function jsonSeparators(value: PyValue | undefined): [string, string] | null {
  if (value === undefined || value === null) return null;
  const [item, key, ...more] = [...iterate(value)];
  if (key === undefined || more.length > 0) return fail("ValueError", "separators must be a pair");
  return [textArgument(item, "separator"), textArgument(key, "separator")];
}
