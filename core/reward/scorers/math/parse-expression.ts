import { call, type Expression, FUNCTIONS, number, symbol } from "./expression.js";
import { add, isInteger, type Rational, rational } from "./rational.js";
import type { Steps } from "./steps.js";
import { isSign, type Token, textOf, Unreadable } from "./tokens.js";

const DEPTH = 60;
const CLOSED_BY: ReadonlyMap<string, string> = new Map([
  ["(", ")"],
  ["[", "]"],
  ["{", "}"],
  ["⌊", "⌋"],
  ["⌈", "⌉"],
]);

/** Reads one expression that takes up all tokens. Throws {@link Unreadable}. */
export function parseExpression(tokens: readonly Token[], steps: Steps): Expression {
  const parser = new ExpressionParser(tokens, steps);
  const expression = parser.sum();
  parser.expectEnd();
  return expression;
}

class ExpressionParser {
  #at = 0;
  #depth = 0;
  /** Open absolute values: a bar closes the innermost instead of opening another. */
  #bars = 0;

  constructor(
    readonly tokens: readonly Token[],
    readonly steps: Steps,
  ) {}

  expectEnd(): void {
    if (this.#at < this.tokens.length) throw new Unreadable("something follows the expression");
  }

  sum(): Expression {
    const terms = [this.#signed()];
    while (this.#is("+", "-")) terms.push(this.#signed());
    return terms.length === 1 ? terms[0] : { type: "add", terms };
  }

  #signed(): Expression {
    let negative = false;
    for (; this.#is("+", "-"); this.#at++) negative = negative !== this.#is("-");
    const of = this.#product();
    return negative ? { type: "negate", of } : of;
  }

  #product(): Expression {
    let left = this.#power();
    let factors = [left];
    for (;;) {
      if (this.#is("/")) {
        this.#at++;
        left = { type: "divide", over: product(factors), under: this.#operand() };
        factors = [left];
      } else if (this.#is("*")) {
        this.#at++;
        factors.push(this.#operand());
      } else if (this.#startsFactor()) {
        // Two numbers side by side are no product.
        if (this.#token()?.kind === "number") throw new Unreadable("two numbers without an operator");
        factors.push(this.#power());
      } else return product(factors);
    }
  }

  /** What follows `*` or `/`: it may have a sign of its own. */
  #operand(): Expression {
    return this.#is("+", "-") ? this.#signedPower() : this.#power();
  }

  #signedPower(): Expression {
    const negative = this.#is("-");
    this.#at++;
    const of = this.#power();
    return negative ? { type: "negate", of } : of;
  }

  #startsFactor(): boolean {
    const token = this.#token();
    if (!token || token.kind === "word") return false;
    if (token.kind !== "sign") return true;
    return token.sign === "|" ? this.#bars === 0 : CLOSED_BY.has(token.sign);
  }

  #power(): Expression {
    return this.#nested(() => {
      const mixed = this.#mixed();
      if (mixed) return number(mixed);
      let base = this.#primary();
      for (;;) {
        if (this.#is("^")) {
          this.#at++;
          base = { type: "power", base, exponent: this.#argument() };
        } else if (this.#is("!")) {
          this.#at++;
          base = call("factorial", base);
        } else if (this.#is("°")) {
          this.#at++;
          base = call("degrees", base);
        } else if (this.#is("'") && base.type === "symbol") {
          this.#at++;
          base = symbol(`${base.name}'`);
        } else if (this.#is("_")) base = this.#subscript(base);
        else return base;
      }
    });
  }

  /** `2\frac{1}{2}` and `2 1/2`. */
  #mixed(): Rational | null {
    const [whole, ...rest] = this.tokens.slice(this.#at, this.#at + 9);
    if (whole?.kind !== "number" || !isInteger(whole.value)) return null;
    const fraction = plainFraction(rest);
    if (!fraction || fraction.value.num >= fraction.value.den) return null;
    this.#at += 1 + fraction.length;
    return add(whole.value, fraction.value);
  }

  #subscript(base: Expression): Expression {
    this.#at++;
    const start = this.#at;
    const index = this.#argument();
    if (base.type === "number") return call("base", base, index);
    if (base.type !== "symbol") throw new Unreadable("a subscript without a name");
    const text = this.tokens.slice(start, this.#at).filter((token) => !isSign(token, "{", "}"));
    return symbol(`${base.name}_${text.map(textOf).join("")}`);
  }

  #primary(): Expression {
    this.steps.spend();
    const token = this.#token();
    this.#at++;
    if (token?.kind === "number") return number(token.value);
    if (token?.kind === "name") return FUNCTIONS.has(token.name) ? this.#function(token.name) : symbol(token.name);
    if (token?.kind === "command") return this.#command(token.name);
    if (token?.kind !== "sign") throw new Unreadable("an operand is missing");
    if (token.sign === "|") {
      this.#bars++;
      const of = this.sum();
      this.#bars--;
      this.#expect("|");
      return call("abs", of);
    }
    const close = CLOSED_BY.get(token.sign);
    if (close === undefined) throw new Unreadable(`"${token.sign}" is no operand`);
    const bars = this.#bars;
    this.#bars = 0;
    const of = this.#commas();
    this.#bars = bars;
    this.#expect(close);
    return close === "⌋" ? call("floor", of) : close === "⌉" ? call("ceiling", of) : of;
  }

  /** `f(x, y)`: several expressions in brackets. */
  #commas(): Expression {
    const items = [this.sum()];
    for (; this.#is(","); ) {
      this.#at++;
      items.push(this.sum());
    }
    return items.length === 1 ? items[0] : call("tuple", ...items);
  }

  #function(name: string): Expression {
    let base: Expression | null = null;
    let exponent: Expression | null = null;
    for (; this.#is("_", "^"); ) {
      const isBase = this.#is("_");
      this.#at++;
      if (isBase) base = this.#argument();
      else exponent = this.#argument();
    }
    const of = this.#functionArgument();
    if (exponent && isMinusOne(exponent)) return call(`arc${name}`, of);
    const value = base ? call(name, of, base) : call(name, of);
    return exponent ? { type: "power", base: value, exponent } : value;
  }

  /** In `\sin(x)^2` the sine is squared, but in `\sin(30)°` the angle has degrees. */
  #bracketedArgument(): Expression {
    const of = this.#nested(() => this.#primary());
    if (!this.#is("°")) return of;
    this.#at++;
    return call("degrees", of);
  }

  /** Brackets, or factors up to the next operator or function: `\sin 2x \cos x`. */
  #functionArgument(): Expression {
    if (this.#is("(", "[", "{")) return this.#bracketedArgument();
    const factors = [this.#is("-") ? this.#signedPower() : this.#power()];
    for (;;) {
      const token = this.#token();
      const stops = token?.kind === "number" || (token?.kind === "name" && FUNCTIONS.has(token.name));
      if (stops || !this.#startsFactor() || this.#is("(", "[")) return product(factors);
      factors.push(this.#power());
    }
  }

  #command(name: string): Expression {
    if (name === "sqrt") {
      const degree = this.#is("[") ? this.#bracketed() : number(rational(2));
      return { type: "root", degree, of: this.#argument() };
    }
    if (name === "decorate" || name === "bold") {
      const start = this.#at;
      const of = this.#argument();
      const inside = this.tokens.slice(start, this.#at);
      // A number in bold is the number.
      if (name === "bold" && inside.every((token) => token.kind !== "name")) return of;
      return symbol(`vec(${inside.map(textOf).join("").replace(/[{}]/g, "")})`);
    }
    const [over, under] = [this.#argument(), this.#argument()];
    return name === "binom" ? call("binom", over, under) : { type: "divide", over, under };
  }

  #bracketed(): Expression {
    this.#at++;
    const value = this.sum();
    this.#expect("]");
    return value;
  }

  /** A group, or one symbol. */
  #argument(): Expression {
    return this.#is("-") ? this.#signedPower() : this.#nested(() => this.#primary());
  }

  #nested<T>(parse: () => T): T {
    this.steps.spend();
    if (++this.#depth > DEPTH) throw new Unreadable("the expression is nested too deeply");
    const value = parse();
    this.#depth--;
    return value;
  }

  #token(): Token | undefined {
    return this.tokens[this.#at];
  }

  #is(...signs: readonly string[]): boolean {
    return isSign(this.#token(), ...signs);
  }

  #expect(sign: string): void {
    if (!this.#is(sign)) throw new Unreadable(`"${sign}" is missing`);
    this.#at++;
  }
}

function product(factors: readonly Expression[]): Expression {
  return factors.length === 1 ? factors[0] : { type: "multiply", factors };
}

const isMinusOne = (e: Expression) =>
  e.type === "negate" && e.of.type === "number" && e.of.value.num === e.of.value.den;

/** A fraction of two integers at the start of the tokens, and how many tokens it takes. */
function plainFraction(tokens: readonly Token[]): { readonly value: Rational; readonly length: number } | null {
  const isCommand = tokens[0]?.kind === "command" && tokens[0].name === "frac";
  const over = plainInteger(tokens, isCommand ? 1 : 0);
  if (!over || !(isCommand || isSign(tokens[over.end], "/"))) return null;
  const under = plainInteger(tokens, isCommand ? over.end : over.end + 1);
  return under && under.value !== 0n ? { value: rational(over.value, under.value), length: under.end } : null;
}

function plainInteger(tokens: readonly Token[], at: number): { readonly value: bigint; readonly end: number } | null {
  const braced = isSign(tokens[at], "{");
  const token = tokens[braced ? at + 1 : at];
  if (token?.kind !== "number" || !isInteger(token.value) || (braced && !isSign(tokens[at + 2], "}"))) return null;
  return { value: token.value.num, end: at + (braced ? 3 : 1) };
}
