import { TemplateFailure } from "./errors.js";
import type { Token, TokenType } from "./lexer.js";

/** One token of look-ahead over the tokens of a template. */
export class TokenStream {
  private at = 0;

  constructor(private readonly tokens: readonly Token[]) {}

  get current(): Token {
    return this.tokens[this.at];
  }

  get following(): Token {
    return this.tokens[Math.min(this.at + 1, this.tokens.length - 1)];
  }

  next(): Token {
    const token = this.current;
    if (token.type !== "end") this.at++;
    return token;
  }

  /** Whether the current token is of this type and, if given, one of these texts. */
  is(type: TokenType, ...texts: readonly string[]): boolean {
    const { current } = this;
    return current.type === type && (texts.length === 0 || texts.includes(current.text));
  }

  skip(type: TokenType, text: string): boolean {
    if (!this.is(type, text)) return false;
    this.at++;
    return true;
  }

  expect(type: TokenType, text?: string): Token {
    if (text === undefined ? this.is(type) : this.is(type, text)) return this.next();
    throw this.error(
      `expected ${text === undefined ? DESCRIPTIONS[type] : `'${text}'`}, got ${describe(this.current)}`,
    );
  }

  error(message: string, line = this.current.line): TemplateFailure {
    return new TemplateFailure("TemplateSyntaxError", message, line);
  }

  unexpected(): TemplateFailure {
    return this.error(`unexpected ${describe(this.current)}`);
  }
}

const DESCRIPTIONS: Readonly<Record<TokenType, string>> = {
  data: "text",
  variableBegin: "'{{'",
  variableEnd: "'}}'",
  blockBegin: "'{%'",
  blockEnd: "'%}'",
  name: "a name",
  string: "a string",
  integer: "an integer",
  float: "a float",
  operator: "an operator",
  end: "the end of the template",
};

function describe({ type, text }: Token): string {
  return type === "name" || type === "operator" || type === "integer" || type === "float"
    ? `'${text}'`
    : DESCRIPTIONS[type];
}
