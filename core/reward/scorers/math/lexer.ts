import { FUNCTIONS } from "./expression.js";
import {
  ARGUMENT_COMMANDS,
  LOOK_COMMANDS,
  NAME_COMMANDS,
  SIGN_COMMANDS,
  TEXT_COMMANDS,
  UNICODE,
} from "./latex-names.js";
import { rational } from "./rational.js";
import { readNumber } from "./read-number.js";
import { isSign, type Token, Unreadable } from "./tokens.js";
import { isUnitName } from "./units.js";

type Bare = Token extends infer T ? (T extends Token ? Omit<T, "spaced"> : never) : never;

/** Short English words that are no products of variables. */
const SHORT_WORDS: ReadonlySet<string> = new Set(
  "per the of is are be no yes odd all any not for if day to by at as an none dne".split(" "),
);
const WORD_NAMES: ReadonlyMap<string, string> = new Map([
  ["pi", "π"],
  ["infinity", "∞"],
  ["infty", "∞"],
  ["inf", "∞"],
  ["theta", "θ"],
]);
const MATRICES: ReadonlySet<string> = new Set(["matrix", "pmatrix", "bmatrix", "Bmatrix", "smallmatrix", "array"]);
const SPACE = /(?:\s|~)+/y;
const LETTERS = /\p{L}[\p{L}\p{M}]*/uy;
const PROSE = /\p{L}(?:[\p{L}\p{M}’-]*[\p{L}\p{M}])?/uy;
const COMMAND = /\\([A-Za-z]+|[\s\S])/uy;
const SIGNS = /(?<=\s)!=|<=|>=|==|\*\*|\.\.\.|[-+*/^_()[\]{}|<>=!'%&,;:.…]/y;
const SIGN_ALIASES: ReadonlyMap<string, string> = new Map([
  ["==", "="],
  ["**", "^"],
  ["...", "…"],
]);
const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/**
 * Cuts an answer into tokens. `thousands`: a comma between digits groups them (`1,234`) instead of separating two numbers.
 * Throws {@link Unreadable} for what no answer contains.
 */
export function lex(text: string, options: { readonly thousands: boolean }): Token[] {
  return new Lexer(plain(text), options.thousands).run();
}

function plain(text: string): string {
  return (
    text
      .normalize("NFC")
      // Escaped twice; in a matrix two backslashes end a row.
      .replace(text.includes("\\begin") ? /$^/ : /\\\\(?=[A-Za-z])/g, "\\")
      .replace(/[⁰¹²³⁴-⁹]+/g, (run) => `^{${Array.from(run, (digit) => SUPERSCRIPTS.indexOf(digit)).join("")}}`)
      .replace(/[^\0-\x7f]/gu, (character) => UNICODE.get(character) ?? character)
  );
}

class Lexer {
  readonly #tokens: Token[] = [];
  #at = 0;
  #spaced = false;
  /** Until here the text is prose: every run of letters is a word. */
  #proseUntil = 0;

  constructor(
    readonly text: string,
    readonly thousands: boolean,
  ) {}

  run(): Token[] {
    while (this.#at < this.text.length) this.#next();
    return withoutRaisedMarks(this.#tokens);
  }

  #next(): void {
    if (this.#take(SPACE)) {
      this.#spaced = true;
      return;
    }
    const number = readNumber(this.text, this.#at, this.thousands);
    if (number) {
      this.#at = number.end;
      this.#push({ kind: "number", text: number.text, value: number.value });
      return;
    }
    const command = this.#take(COMMAND);
    if (command) {
      this.#command(command[1]);
      return;
    }
    const prose = this.#at < this.#proseUntil;
    const letters = this.#take(prose ? PROSE : LETTERS);
    if (letters) {
      if (prose) this.#word(letters[0]);
      else this.#letters(letters[0]);
      return;
    }
    const sign = this.#take(SIGNS)?.[0];
    if (sign !== undefined) {
      if (!(prose && "{}".includes(sign))) this.#push({ kind: "sign", sign: SIGN_ALIASES.get(sign) ?? sign });
      return;
    }
    const character = this.text[this.#at++];
    // Dollar signs delimit formulas (money is `\$`), quotation marks delimit words.
    if (!'$"“”*`#'.includes(character)) throw new Unreadable(`"${character}" is no part of an answer`);
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.text);
    if (match) this.#at = pattern.lastIndex;
    return match;
  }

  #push(token: Bare): void {
    this.#tokens.push({ ...token, spaced: this.#spaced });
    this.#spaced = false;
  }

  #command(name: string): void {
    const joined = /^(q?quad)[A-Za-z]/.exec(name);
    if (joined) {
      this.#at -= name.length - joined[1].length;
      return;
    }
    const sign = SIGN_COMMANDS.get(name);
    const argument = ARGUMENT_COMMANDS.get(name);
    if (sign !== undefined) this.#push({ kind: "sign", sign });
    else if (argument !== undefined) this.#argumentCommand(argument);
    else if (TEXT_COMMANDS.has(name)) this.#prose();
    else if (LOOK_COMMANDS.has(name)) {
      this.#spaced = true;
      if ((name === "left" || name === "right") && this.text[this.#at] === ".") this.#at++;
    } else if (name === "mathbb") this.#push({ kind: "name", name: this.#group() === "R" ? "ℝ" : "𝔹" });
    else if (name === "begin" || name === "end") this.#environment(name);
    else if (FUNCTIONS.has(name)) this.#push({ kind: "name", name });
    else this.#push({ kind: "name", name: NAME_COMMANDS.get(name) ?? `\\${name}` });
  }

  /** `\frac12` and `\frac1{72}`: each digit is an argument. */
  #argumentCommand(name: string): void {
    this.#push({ kind: "command", name });
    if (name !== "frac" && name !== "binom") return;
    for (let i = 0; i < 2; i++) {
      const digit = this.#take(/\s*(\d)/y)?.[1];
      if (digit === undefined) return;
      this.#push({ kind: "number", text: digit, value: rational(BigInt(digit)) });
    }
  }

  #environment(sign: "begin" | "end"): void {
    const environment = this.#group();
    if (!MATRICES.has(environment)) throw new Unreadable(`the environment ${environment} is no answer`);
    if (sign === "begin" && environment === "array") this.#group();
    this.#push({ kind: "sign", sign });
  }

  /** The raw content of a group without groups in it. */
  #group(): string {
    const match = this.#take(/\s*\{([^{}]*)\}/y);
    if (!match) throw new Unreadable("an argument is missing");
    return match[1].trim();
  }

  /** What follows `\text`: read on, but as prose up to the closing brace. */
  #prose(): void {
    if (this.#at < this.#proseUntil) return;
    this.#take(SPACE);
    if (this.text[this.#at] !== "{") {
      this.#proseUntil = this.#at + 1;
      return;
    }
    let depth = 0;
    for (let i = this.#at; i < this.text.length; i++) {
      if (this.text[i] === "\\") i++;
      else if (this.text[i] === "{") depth++;
      else if (this.text[i] === "}" && --depth === 0) {
        this.#proseUntil = i + 1;
        return;
      }
    }
    throw new Unreadable("a brace is not closed");
  }

  #word(text: string): void {
    const lower = text.toLowerCase();
    if (FUNCTIONS.has(text)) this.#push({ kind: "name", name: text });
    else if (text === "e" || text === "i") this.#push({ kind: "name", name: text });
    else if (lower === "and" || lower === "or") this.#push({ kind: "sign", sign: lower });
    else this.#push({ kind: "word", text });
  }

  #letters(run: string): void {
    const joined = /^(sin|cos|tan|log|ln)([a-z])$/.exec(run);
    if (run === "sqrt") this.#push({ kind: "command", name: "sqrt" });
    else if (WORD_NAMES.has(run)) this.#push({ kind: "name", name: WORD_NAMES.get(run)! });
    else if (FUNCTIONS.has(run)) this.#push({ kind: "name", name: run });
    else if (joined) for (const name of joined.slice(1)) this.#push({ kind: "name", name });
    else if (run === "U" && this.#betweenBrackets()) this.#push({ kind: "sign", sign: "∪" });
    else if (this.#isWord(run)) this.#word(run);
    else for (const name of run) this.#push({ kind: "name", name });
  }

  #betweenBrackets(): boolean {
    const next = /\s*(?:\\left\s*)?[([]/y;
    next.lastIndex = this.#at;
    return isSign(this.#tokens.at(-1), ")", "]") && next.test(this.text);
  }

  #isWord(run: string): boolean {
    const lower = run.toLowerCase();
    if (lower === "and" || lower === "or" || SHORT_WORDS.has(lower)) return true;
    const afterValue = this.#tokens.at(-1)?.kind === "number" || isSign(this.#tokens.at(-1), "}", ")", "/");
    if (afterValue && isUnitName(run)) return true;
    return run.length >= 4 || (run.length > 1 && /[^\0-\x7f]/.test(run));
  }
}

/** `90^\circ` and `90^{\circ}` have the sign alone, `4^{\text{th}}` is four. */
function withoutRaisedMarks(tokens: readonly Token[]): Token[] {
  const result: Token[] = [];
  for (let i = 0; i < tokens.length; i++) {
    const braced = isSign(tokens[i + 1], "{") && isSign(tokens[i + 3], "}");
    const raised = isSign(tokens[i], "^") ? tokens[i + (braced ? 2 : 1)] : undefined;
    const ordinal = raised?.kind === "word" && /^(st|nd|rd|th)$/.test(raised.text);
    if (raised && isSign(raised, "°")) result.push(raised);
    else if (!ordinal) {
      result.push(tokens[i]);
      continue;
    }
    i += braced ? 3 : 1;
  }
  return result;
}
