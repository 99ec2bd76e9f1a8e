import { dict, MAX_TREE_DEPTH, type Node, type Source, scalar } from "./tree.js";

/** What is wrong with an override's text, and at which character. */
export class ValueSyntaxError extends Error {
  constructor(
    message: string,
    readonly position: number,
  ) {
    super(message);
  }
}

const INTEGER = /^[+-]?(0|[1-9]\d*)$/;
const FLOAT = /^[+-]?((\d+\.\d*|\.\d+)([eE][+-]?\d+)?|\d+[eE][+-]?\d+)$/;
const SPECIAL_FLOAT = /^([+-]?)(inf|nan)$/i;
const UNQUOTED = /[\p{L}\p{M}\p{N} \t/\-\\+.$%*@?|_:]/u;
const ESCAPABLE = "\\()[]{}:=, \t";

/** Parses the right-hand side of an override, in the grammar of Hydra's values (see docs/Reference/configuration.md). */
export function parseValue(text: string, source: Source): Node {
  const parser = new ValueParser(text, source);
  return parser.top();
}

class ValueParser {
  #at = 0;

  constructor(
    private readonly text: string,
    private readonly source: Source,
  ) {}

  top(): Node {
    this.#space();
    if (this.#at === this.text.length) return scalar("", this.source);
    const value = this.#value("", 0);
    this.#space();
    if (this.#at < this.text.length) throw this.#unexpected();
    return value;
  }

  #value(stops: string, depth: number): Node {
    if (depth > MAX_TREE_DEPTH) throw new ValueSyntaxError(`nested deeper than ${MAX_TREE_DEPTH} levels`, this.#at);
    this.#space();
    const next = this.text[this.#at];
    if (next === "[") return this.#list(depth + 1);
    if (next === "{") return this.#dict(depth + 1);
    if (next === "'" || next === '"') return scalar(this.#quoted(next), this.source);
    return this.#bare(stops);
  }

  #list(depth: number): Node {
    const start = this.#at++;
    const items: Node[] = [];
    this.#space();
    if (this.#take("]")) return { kind: "list", items, source: this.source };
    for (;;) {
      items.push(this.#value(",]", depth));
      this.#space();
      if (this.#take("]")) return { kind: "list", items, source: this.source };
      if (!this.#take(",")) throw this.#unclosed("[", "]", start);
    }
  }

  #dict(depth: number): Node {
    const start = this.#at++;
    const result = dict(this.source);
    this.#space();
    if (this.#take("}")) return result;
    for (;;) {
      const at = this.#at;
      const key = this.#key();
      if (result.entries.has(key)) throw new ValueSyntaxError(`the key "${key}" occurs twice`, at);
      result.entries.set(key, this.#value(",}", depth));
      this.#space();
      if (this.#take("}")) return result;
      if (!this.#take(",")) throw this.#unclosed("{", "}", start);
    }
  }

  #key(): string {
    this.#space();
    const next = this.text[this.#at];
    const start = this.#at;
    let key: string;
    if (next === "'" || next === '"') key = this.#quoted(next);
    else {
      while (this.#at < this.text.length && this.text[this.#at] !== ":" && UNQUOTED.test(this.#character())) {
        this.#at += this.#character().length;
      }
      key = this.text.slice(start, this.#at).trim();
    }
    this.#space();
    if (key === "" && next !== "'" && next !== '"') throw new ValueSyntaxError("a key is missing", start);
    if (!this.#take(":")) throw new ValueSyntaxError(`":" is missing after the key "${key}"`, this.#at);
    return key;
  }

  /** A backslash escapes the quote; before a quote, two make one; anywhere else it is itself. */
  #quoted(quote: string): string {
    const start = this.#at++;
    let result = "";
    while (this.#at < this.text.length) {
      const run = /^\\*/.exec(this.text.slice(this.#at))?.[0].length ?? 0;
      this.#at += run;
      const next = this.text[this.#at];
      if (next === quote) {
        result += "\\".repeat(Math.floor(run / 2));
        this.#at++;
        if (run % 2 === 0) return result;
        result += quote;
      } else if (next !== undefined) {
        result += "\\".repeat(run) + next;
        this.#at++;
      }
    }
    throw new ValueSyntaxError(`the quote ${quote} is not closed`, start);
  }

  #bare(stops: string): Node {
    const start = this.#at;
    let result = "";
    let kept = 0;
    let literal = true;
    while (this.#at < this.text.length) {
      const next = this.#character();
      if (stops.includes(next)) break;
      if (next === "$" && this.text[this.#at + 1] === "{") {
        result += this.#reference();
        kept = result.length;
        literal = false;
      } else if (next === "\\" && this.#at + 1 < this.text.length && ESCAPABLE.includes(this.text[this.#at + 1])) {
        result += this.text[this.#at + 1];
        kept = result.length;
        literal = false;
        this.#at += 2;
      } else if (UNQUOTED.test(next)) {
        result += next;
        this.#at += next.length;
      } else throw this.#unexpected();
    }
    result = result.slice(0, Math.max(kept, result.trimEnd().length));
    if (this.#at === start || result === "") throw new ValueSyntaxError("a value is missing", start);
    return literal ? bareScalar(result, this.source) : scalar(result, this.source);
  }

  /** `${...}` as written, braces and quotes inside balanced. */
  #reference(): string {
    const start = this.#at;
    let depth = 0;
    let quote = "";
    for (; this.#at < this.text.length; this.#at++) {
      const next = this.text[this.#at];
      if (quote) {
        if (next === "\\") this.#at++;
        else if (next === quote) quote = "";
      } else if (next === "'" || next === '"') quote = next;
      else if (next === "{") depth++;
      else if (next === "}" && --depth === 0) return this.text.slice(start, ++this.#at);
    }
    throw new ValueSyntaxError("the reference ${ is not closed", start);
  }

  #character(): string {
    return String.fromCodePoint(this.text.codePointAt(this.#at) as number);
  }

  #space(): void {
    while (this.text[this.#at] === " " || this.text[this.#at] === "\t") this.#at++;
  }

  #take(expected: string): boolean {
    if (this.text[this.#at] !== expected) return false;
    this.#at++;
    return true;
  }

  #unexpected(): ValueSyntaxError {
    return new ValueSyntaxError(`"${this.#character()}" needs quotes around the text`, this.#at);
  }

  #unclosed(opening: string, closing: string, start: number): ValueSyntaxError {
    if (this.#at < this.text.length) return this.#unexpected();
    return new ValueSyntaxError(`"${opening}" is not closed by "${closing}"`, start);
  }
}

function bareScalar(text: string, source: Source): Node {
  if (/^null$/i.test(text)) return scalar(null, source);
  if (/^true$/i.test(text)) return scalar(true, source);
  if (/^false$/i.test(text)) return scalar(false, source);
  if (INTEGER.test(text)) return scalar(Number(text), source);
  if (FLOAT.test(text)) return scalar(Number(text), source, true);
  const special = SPECIAL_FLOAT.exec(text);
  if (special) {
    const size = special[2].toLowerCase() === "inf" ? Number.POSITIVE_INFINITY : Number.NaN;
    return scalar(special[1] === "-" ? -size : size, source, true);
  }
  return scalar(text, source);
}
