import { bindArguments, bindPositional } from "./arguments.js";
import { fail } from "./errors.js";
import { characterOf } from "./format-spec.js";
import { iterate } from "./operators.js";
import { slice } from "./slicing.js";
import { capitalize, isLowerText, isTitleText, isUpperText, swapCase, titleCase } from "./string-case.js";
import {
  codePoints,
  indexArgument,
  integerArgument,
  joinTexts,
  length,
  repeatText,
  textArgument,
  trimEnd,
  WHITE_SPACE,
} from "./text.js";
import { caseFold, isDecimal, isDigit, isIdentifier, isNumeric, isPrintable } from "./unicode.js";
import { type KeywordArguments, Markup, PyDict, PyTuple, type PyValue, typeName } from "./values.js";
import { spend, spendText } from "./work.js";

type StringMethod = (self: string, args: readonly PyValue[], kwargs: KeywordArguments) => PyValue;
type Bound = readonly (PyValue | undefined)[];

const SPACE_START = new RegExp(`^[${WHITE_SPACE}]+`);
const SPACE_ONLY = new RegExp(`^[${WHITE_SPACE}]+$`);
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that Python names
const LINE = /\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/g;

/** A method whose arguments are matched by position only, as most of Python's are. */
function method(parameters: readonly string[], body: (self: string, args: Bound) => PyValue): StringMethod {
  return (self, args, kwargs) => body(self, bindPositional("str method", parameters, args, kwargs));
}

/** One of the few methods that take keywords. */
function keywordMethod(parameters: readonly string[], body: (self: string, args: Bound) => PyValue): StringMethod {
  return (self, args, kwargs) => body(self, bindArguments("str method", parameters, args, kwargs));
}

const predicate = (test: (self: string) => boolean): StringMethod => method([], (self) => test(self));
const everyCharacter = (test: (character: string) => boolean) =>
  predicate((self) => self !== "" && codePoints(self).every(test));

export const STRING_METHODS: ReadonlyMap<string, StringMethod> = new Map<string, StringMethod>([
  ["upper", method([], (self) => self.toUpperCase())],
  ["lower", method([], (self) => self.toLowerCase())],
  ["casefold", method([], caseFold)],
  ["title", method([], titleCase)],
  ["capitalize", method([], capitalize)],
  ["swapcase", method([], swapCase)],
  ["strip", method(["chars?"], (self, [chars]) => strip(self, chars, "both"))],
  ["lstrip", method(["chars?"], (self, [chars]) => strip(self, chars, "start"))],
  ["rstrip", method(["chars?"], (self, [chars]) => strip(self, chars, "end"))],
  ["split", keywordMethod(["sep?", "maxsplit?"], (self, [sep, limit]) => split(self, sep, maxSplit(limit)))],
  ["rsplit", keywordMethod(["sep?", "maxsplit?"], (self, [sep, limit]) => rsplit(self, sep, maxSplit(limit)))],
  [
    "splitlines",
    keywordMethod(["keepends?"], (self, [keep]) =>
      splitLines(self, keep !== undefined && integerArgument(keep, "keepends") !== 0),
    ),
  ],
  ["partition", method(["sep"], (self, [sep]) => partition(self, separator(sep), self.indexOf(separator(sep)), false))],
  [
    "rpartition",
    method(["sep"], (self, [sep]) => partition(self, separator(sep), self.lastIndexOf(separator(sep)), true)),
  ],
  ["replace", method(["old", "new", "count?"], (self, [old, by, count]) => replace(self, text(old), text(by), count))],
  [
    "startswith",
    method(["prefix", "start?", "end?"], (self, args) => affix(self, args, (s, part) => s.startsWith(part))),
  ],
  ["endswith", method(["suffix", "start?", "end?"], (self, args) => affix(self, args, (s, part) => s.endsWith(part)))],
  ["find", method(["sub", "start?", "end?"], (self, args) => find(self, args, "first") ?? -1n)],
  ["rfind", method(["sub", "start?", "end?"], (self, args) => find(self, args, "last") ?? -1n)],
  ["index", method(["sub", "start?", "end?"], (self, args) => find(self, args, "first") ?? notFound())],
  ["rindex", method(["sub", "start?", "end?"], (self, args) => find(self, args, "last") ?? notFound())],
  ["count", method(["sub", "start?", "end?"], (self, args) => count(self, args))],
  ["join", method(["iterable"], (self, [items]) => join(self, items as PyValue))],
  [
    "removeprefix",
    method(["prefix"], (self, [part]) => (self.startsWith(text(part)) ? self.slice(text(part).length) : self)),
  ],
  ["removesuffix", method(["suffix"], (self, [part]) => removeSuffix(self, text(part)))],
  ["zfill", method(["width"], (self, [width]) => zfill(self, integerArgument(width, "width")))],
  [
    "center",
    method(["width", "fillchar?"], (self, [width, fill]) =>
      center(self, integerArgument(width, "width"), fillText(fill)),
    ),
  ],
  ["ljust", method(["width", "fillchar?"], (self, [width, fill]) => self + padding(self, width, fill))],
  ["rjust", method(["width", "fillchar?"], (self, [width, fill]) => padding(self, width, fill) + self)],
  [
    "expandtabs",
    keywordMethod(["tabsize?"], (self, [size]) =>
      expandTabs(self, size === undefined ? 8 : integerArgument(size, "tabsize")),
    ),
  ],
  ["isdigit", everyCharacter(isDigit)],
  ["isdecimal", everyCharacter(isDecimal)],
  ["isnumeric", everyCharacter(isNumeric)],
  ["isalpha", everyCharacter((c) => /^\p{L}$/u.test(c))],
  ["isalnum", everyCharacter((c) => /^[\p{L}\p{N}]$/u.test(c))],
  ["isascii", predicate((self) => !/[\u0080-\uffff]/.test(self))],
  ["isspace", predicate((self) => SPACE_ONLY.test(self))],
  ["isupper", predicate(isUpperText)],
  ["islower", predicate(isLowerText)],
  ["istitle", predicate(isTitleText)],
  ["isidentifier", predicate(isIdentifier)],
  ["isprintable", predicate((self) => codePoints(self).every(isPrintable))],
  ["translate", method(["table"], (self, [table]) => translate(self, table as PyValue))],
  ["maketrans", method(["x", "y?", "z?"], (_, args) => makeTranslation(args))],
]);

export function strip(self: string, chars: PyValue | undefined, side: "both" | "start" | "end"): string {
  if (chars === undefined || chars === null) {
    const start = side === "end" ? self : self.replace(SPACE_START, "");
    return side === "start" ? start : trimEnd(start);
  }
  const set = new Set(codePoints(text(chars)));
  const points = codePoints(self);
  let [from, to] = [0, points.length];
  if (side !== "end") while (from < to && set.has(points[from])) from++;
  if (side !== "start") while (to > from && set.has(points[to - 1])) to--;
  return points.slice(from, to).join("");
}

function maxSplit(limit: PyValue | undefined): number {
  const value = limit === undefined ? -1 : integerArgument(limit, "maxsplit");
  return value < 0 ? Number.POSITIVE_INFINITY : value;
}

function split(self: string, sep: PyValue | undefined, limit: number): string[] {
  if (sep === undefined || sep === null) {
    const words = new RegExp(`[^${WHITE_SPACE}]+`, "g");
    const out: string[] = [];
    for (const match of self.matchAll(words)) {
      if (out.length === limit) return [...out, self.slice(match.index)];
      out.push(match[0]);
    }
    return out;
  }
  const parts = self.split(separator(sep));
  if (parts.length <= limit + 1) return parts;
  return [...parts.slice(0, limit), parts.slice(limit).join(text(sep))];
}

function rsplit(self: string, sep: PyValue | undefined, limit: number): string[] {
  if (sep === undefined || sep === null) {
    const words = [...self.matchAll(new RegExp(`[^${WHITE_SPACE}]+`, "g"))];
    if (words.length <= limit) return words.map(([word]) => word);
    const cut = words.length - limit;
    const head = strip(self.slice(0, words[cut]?.index ?? self.length), undefined, "end");
    return [head, ...words.slice(cut).map(([word]) => word)];
  }
  const separatorText = separator(sep);
  const parts: string[] = [];
  let end = self.length;
  while (parts.length < limit) {
    const at = end - separatorText.length < 0 ? -1 : self.lastIndexOf(separatorText, end - separatorText.length);
    if (at < 0) break;
    parts.unshift(self.slice(at + separatorText.length, end));
    end = at;
  }
  return [self.slice(0, end), ...parts];
}

export function splitLines(self: string, keepEnds = false): string[] {
  const out: string[] = [];
  let start = 0;
  for (const match of self.matchAll(LINE)) {
    const end = match.index + match[0].length;
    out.push(self.slice(start, keepEnds ? end : match.index));
    start = end;
  }
  if (start < self.length) out.push(self.slice(start));
  return out;
}

function partition(self: string, sep: string, at: number, fromEnd: boolean): PyTuple {
  if (at < 0) return new PyTuple(fromEnd ? ["", "", self] : [self, "", ""]);
  return new PyTuple([self.slice(0, at), sep, self.slice(at + sep.length)]);
}

export function replace(self: string, old: string, by: string, limit: PyValue = -1n): string {
  const times = integerArgument(limit, "count");
  const max = times < 0 ? Number.POSITIVE_INFINITY : times;
  const parts = old === "" ? ["", ...codePoints(self), ""] : self.split(old);
  const changes = Math.min(max, parts.length - 1);
  spendText(self.length + changes * Math.max(0, by.length - old.length));
  let out = parts[0];
  for (let i = 1; i < parts.length; i++) out += (i <= max ? by : old) + parts[i];
  return out;
}

/** `start` and `end` cut the text before the comparison. */
function window(
  self: string,
  start: PyValue | undefined,
  end: PyValue | undefined,
): { text: string; offset: number } | null {
  if (start === undefined && end === undefined) return { text: self, offset: 0 };
  const points = codePoints(self);
  const bound = (value: PyValue | undefined, fallback: number): number => {
    if (value === undefined || value === null) return fallback;
    const at = indexArgument(value);
    return at < 0 ? Math.max(0, at + points.length) : at;
  };
  const from = bound(start, 0);
  const to = Math.min(bound(end, points.length), points.length);
  if (from > to) return null;
  return { text: slice(points, from, to, 1).join(""), offset: from };
}

function affix(self: string, [part, start, end]: Bound, test: (self: string, part: string) => boolean): boolean {
  const cut = window(self, start, end);
  const parts = part instanceof PyTuple ? part.items : [text(part)];
  spend(parts.length);
  return parts.some((candidate) => cut !== null && test(cut.text, text(candidate)));
}

function find(self: string, [sub, start, end]: Bound, which: "first" | "last"): bigint | null {
  const cut = window(self, start, end);
  const needle = text(sub);
  if (cut === null) return null;
  const at = which === "first" ? cut.text.indexOf(needle) : cut.text.lastIndexOf(needle);
  return at < 0 ? null : BigInt(cut.offset + length(cut.text.slice(0, at)));
}

function notFound(): never {
  return fail("ValueError", "substring not found");
}

function count(self: string, [sub, start, end]: Bound): bigint {
  const needle = text(sub);
  const cut = window(self, start, end);
  if (cut === null) return 0n;
  return BigInt(needle === "" ? length(cut.text) + 1 : cut.text.split(needle).length - 1);
}

function join(self: string, items: PyValue): string {
  const texts = Array.from(iterate(items), (item, i) => {
    if (typeof item === "string") return item;
    if (item instanceof Markup) return item.text;
    return fail("TypeError", `sequence item ${i}: expected str instance, ${typeName(item)} found`);
  });
  return joinTexts(texts, self);
}

function removeSuffix(self: string, suffix: string): string {
  return suffix !== "" && self.endsWith(suffix) ? self.slice(0, -suffix.length) : self;
}

function zfill(self: string, width: number): string {
  const zeros = repeatText("0", width - length(self));
  return /^[+-]/.test(self) ? self[0] + zeros + self.slice(1) : zeros + self;
}

/** The odd space goes left when the width is odd too. */
export function center(self: string, width: number, fill = " "): string {
  const space = Math.max(0, width - length(self));
  const left = Math.floor(space / 2) + (space % 2 === 1 && width % 2 === 1 ? 1 : 0);
  return repeatText(fill, left) + self + repeatText(fill, space - left);
}

function padding(self: string, width: PyValue | undefined, fill: PyValue | undefined): string {
  return repeatText(fillText(fill), integerArgument(width, "width") - length(self));
}

function fillText(fill: PyValue | undefined): string {
  const character = fill === undefined ? " " : text(fill);
  return length(character) === 1
    ? character
    : fail("TypeError", "the fill character must be exactly one character long");
}

function expandTabs(self: string, size: number): string {
  let column = 0;
  let out = "";
  for (const character of codePoints(self)) {
    if (character === "\t") {
      const spaces = size > 0 ? size - (column % size) : 0;
      out += repeatText(" ", spaces);
      column += spaces;
    } else {
      out += character;
      column = character === "\n" || character === "\r" ? 0 : column + 1;
    }
  }
  return out;
}

/** The table maps code points to code points, texts, or None for nothing. */
function translate(self: string, table: PyValue): string {
  if (!(table instanceof PyDict)) return fail("TypeError", `'${typeName(table)}' object is not a translation table`);
  return codePoints(self)
    .map((character) => {
      const by = table.get(BigInt(character.codePointAt(0) as number));
      if (by === undefined) return character;
      if (by === null) return "";
      return typeof by === "bigint" || typeof by === "boolean" ? characterOf(BigInt(by)) : text(by);
    })
    .join("");
}

/** From a dict, or from texts of equal length and one of characters to drop. */
function makeTranslation([from, to, dropped]: Bound): PyValue {
  const code = (character: string) => BigInt(character.codePointAt(0) as number);
  if (to === undefined) {
    if (!(from instanceof PyDict)) return fail("TypeError", "maketrans() with one argument takes a dict");
    return PyDict.of([...from.entries()].map(([key, by]) => [typeof key === "string" ? code(key) : key, by]));
  }
  const [keys, values] = [codePoints(text(from)), codePoints(text(to))];
  if (keys.length !== values.length) return fail("ValueError", "the first two arguments must have equal length");
  const table = PyDict.of(keys.map((key, i) => [code(key), code(values[i])]));
  for (const character of dropped === undefined ? [] : codePoints(text(dropped))) table.set(code(character), null);
  return table;
}

function separator(sep: PyValue | undefined): string {
  return text(sep) === "" ? fail("ValueError", "empty separator") : text(sep);
}

function text(value: PyValue | undefined): string {
  return textArgument(value, "argument");
}
