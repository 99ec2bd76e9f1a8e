import { TemplateFailure } from "./errors.js";
import { trimEnd, WHITE_SPACE } from "./text.js";
import { isIdentifier } from "./unicode.js";

export type TokenType =
  | "data"
  | "variableBegin"
  | "variableEnd"
  | "blockBegin"
  | "blockEnd"
  | "name"
  | "string"
  | "integer"
  | "float"
  | "operator"
  | "end";

export interface Token {
  readonly type: TokenType;
  /** Text of the token; for strings and numbers as written. */
  readonly text: string;
  readonly line: number;
}

const S = `[${WHITE_SPACE}]`;
const TAG_START = /\{(?:\{|%|#)/g;
const RAW_BEGIN = new RegExp(`\\{%([-+]?)${S}*raw${S}*(?:-%\\}${S}*|%\\})`, "y");
const RAW_END = new RegExp(`\\{%([-+]?)${S}*endraw${S}*(?:\\+%\\}|-%\\}${S}*|%\\}\\n?)`, "g");
const COMMENT_END = new RegExp(`\\+#\\}|-#\\}${S}*|#\\}\\n?`, "g");
const BLOCK_END = new RegExp(`\\+%\\}|-%\\}${S}*|%\\}\\n?`, "y");
const VARIABLE_END = new RegExp(`-\\}\\}${S}*|\\}\\}`, "y");
const SPACE = new RegExp(`${S}+`, "y");
const ONLY_SPACE = new RegExp(`^${S}+$`);

/** Python counts the digits of all scripts. */
const DIGITS = "(?:\\p{Nd}+_)*\\p{Nd}+";
const WORD = /[\p{L}\p{N}_]+/uy;

/** In Python's order: floats before integers, longer operators before shorter ones. */
const INNER: readonly (readonly [TokenType, RegExp])[] = [
  ["float", new RegExp(`(?<!\\.)${DIGITS}(?:(?:\\.${DIGITS})?e[+-]?${DIGITS}|\\.${DIGITS})`, "iuy")],
  ["integer", /0b(?:_?[01])+|0o(?:_?[0-7])+|0x(?:_?[\p{Nd}a-f])+|[1-9](?:_?\p{Nd})*|0(?:_?0)*/iuy],
  ["name", WORD],
  ["string", /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/sy],
  ["operator", /\/\/|\*\*|==|!=|>=|<=|[-+/*%~[\](){}><=.:|,;]/y],
];

/**
 * Split a template into tokens with the settings of Hugging Face: `trim_blocks` (a newline after a block tag goes), `lstrip_blocks`
 * (so do blanks before one at the start of a line), one newline at the end dropped, every kind of newline read as `\n`.
 */
export function tokenizeTemplate(source: string): Token[] {
  const text = source.replace(/\r\n|\r/g, "\n");
  return new Lexer(text.endsWith("\n") ? text.slice(0, -1) : text).run();
}

class Lexer {
  private readonly tokens: Token[] = [];
  private at = 0;
  private line = 1;
  /** Whether the last thing read ended with a newline, so that blanks that follow start a line. */
  private lineStart = true;

  constructor(private readonly text: string) {}

  run(): Token[] {
    while (this.at < this.text.length) this.outside();
    this.push("end", "");
    return this.tokens;
  }

  /** Text up to the next tag, then the tag. */
  private outside(): void {
    TAG_START.lastIndex = this.at;
    const start = TAG_START.exec(this.text);
    if (!start) {
      this.data(this.text.slice(this.at));
      this.at = this.text.length;
      return;
    }
    const raw = start[0] === "{%" ? this.match(RAW_BEGIN, start.index) : null;
    const sign = raw ? raw[1] : this.signAfter(start.index + 2);
    this.data(this.trimmed(this.text.slice(this.at, start.index), sign, start[0] !== "{{"));
    this.moveTo(start.index);
    const opening = raw ? raw[0].length : start[0].length + sign.length;
    if (raw) this.raw(opening);
    else if (start[0] === "{#") this.comment(opening);
    else this.tag(start[0], opening);
  }

  private tag(start: string, opening: number): void {
    this.push(start === "{{" ? "variableBegin" : "blockBegin", start);
    this.moveTo(this.at + opening);
    this.inside(start === "{{" ? "variableEnd" : "blockEnd");
  }

  private signAfter(at: number): string {
    const character = this.text[at];
    return character === "-" || character === "+" ? character : "";
  }

  /** What is left of the text before a tag. */
  private trimmed(data: string, sign: string, isBlock: boolean): string {
    if (sign === "-") return trimEnd(data);
    if (sign === "+" || !isBlock) return data;
    const lineAt = data.lastIndexOf("\n") + 1;
    if (lineAt === 0 && !this.lineStart) return data;
    return ONLY_SPACE.test(data.slice(lineAt)) ? data.slice(0, lineAt) : data;
  }

  private raw(opening: number): void {
    const begin = this.at + opening;
    RAW_END.lastIndex = begin;
    const end = RAW_END.exec(this.text);
    if (!end) {
      this.unclosed(begin, "missing end of raw block");
      return;
    }
    this.lineStart = this.text[begin - 1] === "\n";
    this.data(this.trimmed(this.text.slice(begin, end.index), end[1], true));
    this.finish(end.index + end[0].length);
  }

  private comment(opening: number): void {
    COMMENT_END.lastIndex = this.at + opening;
    const end = COMMENT_END.exec(this.text);
    if (end) this.finish(end.index + end[0].length);
    else this.unclosed(this.at + opening, "missing end of comment");
  }

  /** Jinja misses the end only when something comes before it. */
  private unclosed(begin: number, message: string): void {
    if (begin < this.text.length) throw this.error(message);
    this.finish(begin);
  }

  /** Tokens of a tag up to its end; inside brackets, what looks like an end is not one. */
  private inside(end: "variableEnd" | "blockEnd"): void {
    const brackets: string[] = [];
    const ending = end === "variableEnd" ? VARIABLE_END : BLOCK_END;
    for (;;) {
      const close = brackets.length === 0 ? this.match(ending, this.at) : null;
      if (close) {
        this.push(end, close[0]);
        this.finish(this.at + close[0].length);
        return;
      }
      const space = this.match(SPACE, this.at);
      if (space) {
        this.moveTo(this.at + space[0].length);
        continue;
      }
      const found = this.innerToken();
      if (found.type === "operator") this.balance(found.text, brackets);
      this.tokens.push(found);
      this.moveTo(this.at + found.text.length);
    }
  }

  private innerToken(): Token {
    for (const [type, pattern] of INNER) {
      const match = this.match(pattern, this.at);
      if (!match) continue;
      if (type === "name" && !isIdentifier(match[0])) throw this.error("invalid character in an identifier");
      return { type, text: match[0], line: this.line };
    }
    if (this.at >= this.text.length) throw this.error("unexpected end of template inside a tag");
    throw this.error(
      `unexpected character ${JSON.stringify(String.fromCodePoint(this.text.codePointAt(this.at) as number))}`,
    );
  }

  private balance(operator: string, brackets: string[]): void {
    const opening: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };
    if (operator in opening) brackets.push(opening[operator]);
    else if (")]}".includes(operator) && brackets.pop() !== operator) throw this.error(`unexpected '${operator}'`);
  }

  private match(pattern: RegExp, at: number): RegExpExecArray | null {
    pattern.lastIndex = at;
    return pattern.exec(this.text);
  }

  private data(text: string): void {
    if (text !== "") this.push("data", text);
  }

  private push(type: TokenType, text: string): void {
    this.tokens.push({ type, text, line: this.line });
  }

  private finish(at: number): void {
    this.moveTo(at);
    this.lineStart = this.text[at - 1] === "\n";
  }

  private moveTo(at: number): void {
    for (let i = this.at; i < at; i++) if (this.text.charCodeAt(i) === 10) this.line++;
    this.at = at;
  }

  private error(message: string): TemplateFailure {
    return new TemplateFailure("TemplateSyntaxError", message, this.line);
  }
}
