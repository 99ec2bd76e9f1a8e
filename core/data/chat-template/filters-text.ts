import { getOnlyAttribute, getSlice } from "./access.js";
import { fail } from "./errors.js";
import type { Filter, FilterTable } from "./filter.js";
import { unescapeHtml } from "./html-unescape.js";
import { binary, compare, escapeHtml, isIterable, iterate, sizeOf, truthy } from "./operators.js";
import { dumps } from "./python-json.js";
import { capitalize } from "./string-case.js";
import { center, replace, splitLines, strip } from "./string-methods.js";
import { codePoints, integerArgument, repeatText, str, textArgument, WHITE_SPACE } from "./text.js";
import { Markup, orElse, PyDict, PyTuple, type PyValue, Undefined } from "./values.js";
import { spendText } from "./work.js";

type Options = readonly (PyValue | undefined)[];

/** A filter from text to text that keeps text marked as safe so. */
const onText = (parameters: readonly string[], body: (text: string, args: Options) => string): Filter => ({
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
  ["lower", onText([], (text) => text.toLowerCase())],
  ["capitalize", onText([], capitalize)],
  ["title", { parameters: [], apply: (value) => title(str(value)) }],
  ["trim", onText(["chars?"], (text, [chars]) => strip(text, chars, "both"))],
  [
    "center",
    onText(["width?"], (text, [width]) => center(text, width === undefined ? 80 : integerArgument(width, "width"))),
  ],
  [
    "replace",
    {
      parameters: ["old", "new", "count?"],
      apply: (value, [old, by, count]) =>
        replace(str(value), str(old as PyValue), str(by as PyValue), count === null ? undefined : count),
    },
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
      apply: toJson,
    },
  ],
  ["attr", { parameters: ["name"], apply: attr }],
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

function attr(value: PyValue, [name]: Options): PyValue {
  const attribute = textArgument(name, "attribute name");
  // Python's own protocols may ask any object for such names.
  if (value instanceof Undefined && /^__.*__$/s.test(attribute)) return new Undefined(value.message);
  return getOnlyAttribute(value, attribute);
}

/** Words begin after blanks, hyphens and opening brackets; the rest of each is lowered. */
function title(text: string): string {
  return text
    .split(new RegExp(`([-${WHITE_SPACE}({[<]+)`))
    .filter((part) => part !== "")
    .map((part) => {
      const [first, ...rest] = codePoints(part);
      return first.toUpperCase() + rest.join("").toLowerCase();
    })
    .join("");
}

function indent(value: PyValue, [width = 4n, first, blank]: Options): PyValue {
  const isText = typeof width === "string" || width instanceof Markup;
  const indentation = isText ? str(width) : str(binary("*", " ", width));
  const lines = splitLines(str(binary("+", value, "\n")));
  const all = blank !== undefined && truthy(blank);
  spendText(indentation.length * lines.length);
  // An indentation that is markup makes markup of text: it escapes what it is added to.
  const escapes = width instanceof Markup && !(value instanceof Markup);
  const added = (line: string) => (escapes ? escapeHtml(line) : line);
  const rest = lines.slice(1).map((line) => (all || line !== "" ? indentation + added(line) : line));
  const body = [all ? added(lines[0]) : lines[0], ...rest].join("\n");
  const indentsFirst = first !== undefined && truthy(first);
  const text = indentsFirst ? indentation + (all ? body : added(body)) : body;
  return value instanceof Markup || (escapes && (all || indentsFirst)) ? new Markup(text) : text;
}

function truncate(value: PyValue, [limit = 255n, killWords, end = "...", leeway]: Options): PyValue {
  const slack = leeway === undefined || leeway === null ? 5n : leeway;
  const endSize = BigInt(sizeOf(end));
  if (!(compare(limit, endSize, ">=") >= 0 && compare(slack, 0n, ">=") >= 0)) {
    return fail("AssertionError", "length and leeway are too small");
  }
  if (compare(BigInt(sizeOf(value)), binary("+", limit, slack), "<=") <= 0) return value;
  const cut = getSlice(value, null, binary("-", limit, endSize), null);
  if (killWords !== undefined && truthy(killWords)) return binary("+", cut, end);
  const text = textArgument(cut, "the value to truncate");
  const space = text.lastIndexOf(" ");
  const kept = space < 0 ? text : text.slice(0, space);
  return binary("+", cut instanceof Markup ? new Markup(kept) : kept, end);
}

/** Without tags and comments, white space as single blanks, entities as characters. */
function stripTags(text: string): string {
  const words = withoutTags(text).split(new RegExp(`[${WHITE_SPACE}]+`));
  return unescapeHtml(words.filter((word) => word !== "").join(" "));
}

function withoutTags(text: string): string {
  const kept: string[] = [];
  let at = 0;
  for (let start = text.indexOf("<"); start >= 0; start = text.indexOf("<", at)) {
    const isComment = text.startsWith("<!--", start);
    const close = isComment ? "-->" : ">";
    const end = text.indexOf(close, isComment ? start + 4 : start);
    if (end < 0) break;
    kept.push(text.slice(at, start));
    at = end + close.length;
  }
  return kept.join("") + text.slice(at);
}

function urlEncode(value: PyValue): string {
  if (typeof value === "string" || value instanceof Markup || !isIterable(value)) return quote(str(value), "/");
  const pairs = value instanceof PyDict ? [...value.entries()] : [...iterate(value)].map((pair) => [...iterate(pair)]);
  if (pairs.some((pair) => pair.length !== 2)) return fail("ValueError", "urlencode needs a mapping or pairs");
  return pairs.map(([key, item]) => `${quoteQuery(str(key))}=${quoteQuery(str(item))}`).join("&");
}

function quote(text: string, safe: string): string {
  if (/\p{Surrogate}/u.test(text)) return fail("UnicodeEncodeError", "surrogates are not allowed");
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
  const template = value instanceof Markup ? value : str(value);
  return binary("%", template, kwargs.size > 0 ? PyDict.of(kwargs) : new PyTuple(args));
}

function toJson(
  value: PyValue,
  [ascii = false, indentation = null, separators = null, sortKeys = false]: Options,
): PyValue {
  // Python looks at the layout when it needs it.
  const isText = typeof value === "string" || value instanceof Markup;
  const indent = isText ? null : jsonIndent(indentation);
  const pair = separators === null ? null : pairOf(separators);
  const isUsed = indent === null ? !isText : isIterable(value) && truthy(value);
  return dumps(value, {
    ensureAscii: truthy(ascii),
    indent,
    separators: pair && isUsed ? [textArgument(pair[0], "separator"), textArgument(pair[1], "separator")] : null,
    sortKeys: truthy(sortKeys),
  });
}

function jsonIndent(value: PyValue): string | null {
  if (value === null) return null;
  if (typeof value === "string" || value instanceof Markup) return str(value);
  return repeatText(" ", integerArgument(value, "indent"));
}

function pairOf(value: PyValue): [PyValue, PyValue] {
  const [first, second, ...more] = iterate(value);
  return second === undefined || more.length > 0 ? fail("ValueError", "separators must be a pair") : [first, second];
}
