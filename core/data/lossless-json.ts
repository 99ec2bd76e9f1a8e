import { tokenizerErrors } from "./tokenizer-errors.js";

/** A JSON float that a JavaScript number would turn into an integer: `1.0`, `-0.0`, `1e20`. */
export class JsonFloat {
  constructor(readonly value: number) {}

  valueOf(): number {
    return this.value;
  }

  /** Ordinary JSON output stays possible, at the price of the distinction. */
  toJSON(): number {
    return this.value;
  }
}

/**
 * JSON without loss: integers beyond 2^53 are BigInt, floats with integer value are {@link JsonFloat}, objects are Maps, so
 * that keys keep their order even when they look like numbers.
 */
export type LosslessJson =
  | null
  | boolean
  | string
  | number
  | bigint
  | JsonFloat
  | LosslessJson[]
  | Map<string, LosslessJson>;

/** Lists and objects inside each other that Python 3.11 reads with its default recursion limit; later versions read more. */
const MAX_DEPTH = 992;
/** Python refuses longer integers, whose conversion takes quadratic time. */
const MAX_INTEGER_DIGITS = 4300;

/** Read as Python's `json.loads` does: `NaN` and `Infinity` are accepted, a repeated key keeps its place and its last value. */
export function parseLosslessJson(text: string): LosslessJson {
  return new Reader(text).document();
}

class Reader {
  private at = 0;

  constructor(private readonly text: string) {}

  document(): LosslessJson {
    const value = this.value(0);
    this.space();
    if (this.at < this.text.length) throw this.error("extra data after the value");
    return value;
  }

  private value(depth: number): LosslessJson {
    this.space();
    switch (this.text[this.at]) {
      case "{":
        return this.object(this.deeper(depth));
      case "[":
        return this.array(this.deeper(depth));
      case '"':
        return this.string();
      default:
        return this.literal();
    }
  }

  private deeper(depth: number): number {
    if (depth === MAX_DEPTH) throw this.error(`nested more than ${MAX_DEPTH} deep`);
    return depth + 1;
  }

  private object(depth: number): Map<string, LosslessJson> {
    const out = new Map<string, LosslessJson>();
    this.at++;
    this.space();
    if (this.take("}")) return out;
    do {
      this.space();
      if (this.text[this.at] !== '"') throw this.error("expected a property name in double quotes");
      const key = this.string();
      this.space();
      if (!this.take(":")) throw this.error("expected ':'");
      out.set(key, this.value(depth));
      this.space();
    } while (this.take(","));
    if (!this.take("}")) throw this.error("expected ',' or '}'");
    return out;
  }

  private array(depth: number): LosslessJson[] {
    const out: LosslessJson[] = [];
    this.at++;
    this.space();
    if (this.take("]")) return out;
    do {
      out.push(this.value(depth));
      this.space();
    } while (this.take(","));
    if (!this.take("]")) throw this.error("expected ',' or ']'");
    return out;
  }

  private string(): string {
    const start = this.at++;
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (Number.isNaN(code)) throw this.error("unterminated string", start);
      if (code < 0x20) throw this.error("control character in a string");
      this.at += code === 0x5c ? 2 : 1;
      if (code === 0x22) break;
    }
    const quoted = this.text.slice(start, this.at);
    try {
      return JSON.parse(quoted) as string;
    } catch {
      throw this.error("invalid escape in a string", start);
    }
  }

  private literal(): LosslessJson {
    const start = this.at;
    for (const [word, value] of WORDS) {
      if (this.text.startsWith(word, start)) {
        this.at += word.length;
        return value;
      }
    }
    NUMBER.lastIndex = start;
    const match = NUMBER.exec(this.text);
    if (!match) throw this.error("expected a value");
    this.at += match[0].length;
    const [number, , fraction, exponent] = match;
    return fraction || exponent ? float(Number(number)) : this.integer(number, start);
  }

  private integer(digits: string, start: number): number | bigint {
    if (digits.length > MAX_INTEGER_DIGITS + (digits[0] === "-" ? 1 : 0)) {
      throw this.error(`an integer of more than ${MAX_INTEGER_DIGITS} digits`, start);
    }
    const value = Number(digits);
    return Number.isSafeInteger(value) ? value + 0 : BigInt(digits);
  }

  private space(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.at++;
    }
  }

  private take(character: string): boolean {
    if (this.text[this.at] !== character) return false;
    this.at++;
    return true;
  }

  private error(what: string, at = this.at): Error {
    const before = this.text.slice(0, at).split("\n");
    return tokenizerErrors.VERL_DATA_JSON_INVALID({
      what: `not JSON: ${what}`,
      where: `line ${before.length}, column ${before[before.length - 1].length + 1}`,
    });
  }
}

const WORDS: readonly (readonly [string, LosslessJson])[] = [
  ["null", null],
  ["true", true],
  ["false", false],
  ["NaN", Number.NaN],
  ["Infinity", Number.POSITIVE_INFINITY],
  ["-Infinity", Number.NEGATIVE_INFINITY],
];

const NUMBER = /(-?(?:0|[1-9][0-9]*))(\.[0-9]+)?([eE][-+]?[0-9]+)?/y;

function float(value: number): number | JsonFloat {
  return Number.isInteger(value) ? new JsonFloat(value) : value;
}
