import type { Answer, Bracket, Relation, ValueAnswer } from "./answer.js";
import { FUNCTIONS } from "./expression.js";
import { parseExpression } from "./parse-expression.js";
import type { Steps } from "./steps.js";
import { enclosing, isSign, splitAt, type Token, textOf, Unreadable } from "./tokens.js";
import { readUnit } from "./units.js";

const DEPTH = 12;
const RELATIONS = ["=", "<", ">", "<=", ">=", "!=", "∈"] as const;

/** Reads tokens as an answer. Throws {@link Unreadable}. */
export function parseAnswer(tokens: readonly Token[], steps: Steps, depth = 0): Answer {
  steps.spend(1 + tokens.length);
  if (depth > DEPTH) throw new Unreadable("the answer is nested too deeply");
  const read = (part: readonly Token[]) => parseAnswer(part, steps, depth + 1);
  tokens = exactPart(withoutStop(tokens));
  if (tokens.length === 0) throw new Unreadable("there is no answer");
  return (
    readList(tokens, read) ??
    readRelation(tokens, read) ??
    readSetOperation(tokens, read) ??
    readEnclosed(tokens, read) ??
    readRatio(tokens, read) ??
    readSigns(tokens, steps)
  );
}

type Read = (tokens: readonly Token[]) => Answer;

const withoutStop = (tokens: readonly Token[]) => (isSign(tokens.at(-1), ".") ? tokens.slice(0, -1) : tokens);

/** Of `√2 ≈ 1.41` the exact side; of `x ≈ 1.41` the only one that there is. */
function exactPart(tokens: readonly Token[]): readonly Token[] {
  const at = tokens.findIndex((token) => isSign(token, "~"));
  if (at < 0) return tokens;
  const before = tokens.slice(0, at);
  return before.some((token) => token.kind === "number") ? before : tokens.slice(at + 1);
}

function readList(tokens: readonly Token[], read: Read): Answer | null {
  // Semicolons may separate what commas join: `x = 1, y = 2; x = 3, y = 4`.
  const outer = splitAt(tokens, ";");
  const nested = outer.signs.length > 0 && outer.parts.some((part) => splitAt(part, ",", "and", "or").signs.length > 0);
  const { parts, signs } = nested ? outer : splitAt(tokens, ",", ";", "and", "or");
  if (signs.length === 0) return null;
  const filled = parts.filter((part) => part.length > 0);
  if (filled.length === 0) throw new Unreadable("there is nothing between the commas");
  if (filled.length === 1) return read(filled[0]);
  const items = nested ? filled.map(read) : filled.map(read).flatMap(flat);
  const joined = signs.includes("or") ? "or" : signs.includes("and") ? "and" : ",";
  return { kind: "list", items, joined };
}

const flat = (item: Answer): readonly Answer[] => (item.kind === "list" ? item.items : [item]);

function readRelation(tokens: readonly Token[], read: Read): Answer | null {
  const { parts, signs } = splitAt(tokens, ...RELATIONS);
  if (signs.length === 0) return null;
  const operators = signs.map((sign) => (sign === "∈" ? "=" : sign) as Relation);
  // `= 5` continues what stands before the answer.
  if (parts[0].length === 0 && parts.length === 2 && operators[0] === "=") return read(parts[1]);
  return { kind: "relation", sides: parts.map(read), operators };
}

function readSetOperation(tokens: readonly Token[], read: Read): Answer | null {
  for (const operator of ["∪", "∩", "∖"] as const) {
    const { parts, signs } = splitAt(tokens, operator);
    if (signs.length > 0) return { kind: "setOperation", operator, sets: parts.map(read) };
  }
  return null;
}

function readEnclosed(tokens: readonly Token[], read: Read): Answer | null {
  const brackets = enclosing(tokens);
  if (!brackets) return null;
  const inside = tokens.slice(1, -1);
  const { open, close } = brackets;
  if (open === "{" && close === "}") return read(inside);
  if (open === "begin" && close === "end") return { kind: "matrix", rows: readRows(inside, read) };
  if (open === "\\{" && close === "\\}") return readSet(inside, read);
  // Brackets around a matrix are its own.
  if (enclosing(inside)?.open === "begin") return read(inside);
  if (!"([⟨".includes(open) || !")]⟩".includes(close)) return null;
  const { parts } = splitAt(inside, ",", ";");
  const items = parts.filter((part) => part.length > 0);
  if (items.length < 2) return open === "(" && close === ")" ? readProse(inside, read) : null;
  return { kind: "tuple", open: open as Bracket, close: close as Bracket, items: items.map(read) };
}

/** `(x = 3)` and `(2 and 3)` are what they enclose; `(x + 1)` is left to the expression. */
function readProse(inside: readonly Token[], read: Read): Answer | null {
  return splitAt(inside, "and", "or", ...RELATIONS).signs.length > 0 ? read(inside) : null;
}

/** `{1, 2}`, or by its condition: `{x | x > 3}`. */
function readSet(inside: readonly Token[], read: Read): Answer {
  const { parts } = splitAt(inside, "|", ":");
  if (parts.length === 2 && splitAt(parts[1], ...RELATIONS).signs.length > 0) return read(parts[1]);
  const items = splitAt(inside, ",", ";").parts.filter((part) => part.length > 0);
  return { kind: "set", items: items.map(read).flatMap(flat) };
}

function readRows(inside: readonly Token[], read: Read): Answer[][] {
  const rows = splitAt(inside, "\\\\").parts.filter((row) => row.length > 0);
  return rows.map((row) => splitAt(row, "&").parts.map(read));
}

function readRatio(tokens: readonly Token[], read: Read): Answer | null {
  const { parts, signs } = splitAt(tokens, ":");
  return signs.length === 0 ? null : { kind: "ratio", items: parts.map(read) };
}

/** `2 ± √3` are two values; ∓ takes the other sign. */
function readSigns(tokens: readonly Token[], steps: Steps): Answer {
  if (!tokens.some((token) => isSign(token, "±", "∓"))) return readValue(tokens, steps);
  const choose = (plus: string, minus: string) =>
    readValue(
      tokens.map((token) => {
        if (!isSign(token, "±", "∓")) return token;
        return { kind: "sign", sign: isSign(token, "±") ? plus : minus, spaced: token.spaced } as const;
      }),
      steps,
    );
  return { kind: "list", items: [choose("+", "-"), choose("-", "+")], joined: "or" };
}

const CURRENCIES = ["$", "€", "£", "¢"];

function readValue(tokens: readonly Token[], steps: Steps): Answer {
  const { value, words } = withoutUnit(tokens);
  if (value.some((token) => token.kind === "word") || (value.length === 0 && words.length > 0)) {
    return { kind: "text", text: tokens.map(textOf).join("").toLowerCase() };
  }
  const currency = value.find((token) => isSign(token, ...CURRENCIES));
  const rest = value.filter((token) => token !== currency);
  if (currency?.kind === "sign") words.push(currency.sign);
  const last = rest.at(-1);
  // In `\sin 30^\circ` the mark belongs to the argument.
  const inFunction = rest.some((token) => token.kind === "name" && FUNCTIONS.has(token.name));
  const sign = isSign(last, "%") ? "%" : isSign(last, "°") && !inFunction ? "°" : null;
  const expression = parseExpression(sign ? rest.slice(0, -1) : rest, steps);
  return { kind: "value", expression, unit: readUnit(words), mark: sign ?? wordMark(words) };
}

function wordMark(words: readonly string[]): ValueAnswer["mark"] {
  if (words.length !== 1) return null;
  const word = words[0].toLowerCase();
  return word === "percent" || word === "pct" ? "%" : word === "degrees" || word === "degree" ? "°" : null;
}

/** The words at the end, with their powers (`cm^2`) and slashes. */
function withoutUnit(tokens: readonly Token[]): { readonly value: readonly Token[]; readonly words: string[] } {
  const words: string[] = [];
  let end = tokens.length;
  while (end > 0) {
    const token = tokens[end - 1];
    const power = powerBefore(tokens, end);
    if (token.kind === "word") {
      words.unshift(token.text);
      end--;
    } else if (power) {
      words.unshift(`^${power.text}`);
      end = power.start;
    } else if (isSign(token, "/") && words.length > 0) {
      words.unshift("/");
      end--;
    } else if (isSign(token, ".") && tokens[end - 2]?.kind === "word") end--;
    else break;
  }
  return { value: tokens.slice(0, end), words };
}

/** `^2` or `^{2}` behind a word. */
function powerBefore(tokens: readonly Token[], end: number): { readonly text: string; readonly start: number } | null {
  const braced = isSign(tokens[end - 1], "}");
  const start = end - (braced ? 4 : 2);
  const digit = tokens[braced ? end - 2 : end - 1];
  const raised = isSign(tokens[start], "^") && (!braced || isSign(tokens[start + 1], "{"));
  if (!raised || digit?.kind !== "number" || tokens[start - 1]?.kind !== "word") return null;
  return { text: digit.text, start };
}
