import { wholeNumber } from "./python-number.js";

const MAX_DEPTH = 200;

/**
 * A Python literal (numbers, texts, True, False, None, lists, tuples, dicts) as JSON; null if the text is none, or has no
 * JSON form, such as a set.
 */
export function pythonLiteral(text: string): string | null {
  const reader = new Reader(text);
  const json = reader.value(0);
  return json !== null && reader.atEnd() ? json : null;
}

/** Every method returns null, and the whole is then given up, where the text is not what it reads. */
class Reader {
  private at = 0;

  constructor(private readonly text: string) {}

  atEnd(): boolean {
    this.space();
    return this.at === this.text.length;
  }

  value(depth: number): string | null {
    if (depth > MAX_DEPTH) return null;
    this.space();
    const character = this.text[this.at];
    if (character === "[") return this.list("]", depth).json;
    if (character === "(") return this.parentheses(depth);
    if (character === "{") return this.dict(depth);
    if (character === "'" || character === '"') {
      const string = this.strings();
      return string === null ? null : JSON.stringify(string);
    }
    return this.word() ?? this.number();
  }

  /** A tuple, or a value in parentheses. */
  private parentheses(depth: number): string | null {
    const { json, only } = this.list(")", depth);
    return only ?? json;
  }

  /** `only`: the item, if there is one and no comma. */
  private list(closer: string, depth: number): { readonly json: string | null; readonly only?: string } {
    const items: string[] = [];
    let comma = true;
    this.at++;
    while (!this.take(closer)) {
      const item = comma ? this.value(depth + 1) : null;
      if (item === null) return { json: null };
      items.push(item);
      comma = this.take(",");
    }
    return { json: `[${items.join(", ")}]`, only: items.length === 1 && !comma ? items[0] : undefined };
  }

  private dict(depth: number): string | null {
    const members = new Map<string, string>();
    let comma = true;
    this.at++;
    while (!this.take("}")) {
      const key = comma ? this.key(depth) : null;
      const value = key !== null && this.take(":") ? this.value(depth + 1) : null;
      if (key === null || value === null) return null;
      members.set(key, value);
      comma = this.take(",");
    }
    return `{${[...members].map(([key, value]) => `${key}: ${value}`).join(", ")}}`;
  }

  /** A key as a JSON string; numbers and the like become their text, as in Python's `json.dumps`. */
  private key(depth: number): string | null {
    const json = this.value(depth + 1);
    if (json === null || json.startsWith("[") || json.startsWith("{")) return null;
    return json.startsWith('"') ? json : `"${json}"`;
  }

  private word(): string | null {
    const word = this.matched(/(?:True|False|None)\b/y);
    return word === null ? null : (WORDS.get(word) ?? null);
  }

  private number(): string | null {
    const sign = this.matched(/[-+]/y) ?? "";
    this.space();
    const digits = this.matched(
      /(?:\d+(?:_\d+)*)?(?:\.(?:\d+(?:_\d+)*)?)?(?:[eE][-+]?\d+(?:_\d+)*)?(?!\w)/y,
    )?.replaceAll("_", "");
    const match = /^(\d*)(?:(\.)(\d*))?(e[-+]?\d+)?$/i.exec(digits ?? "");
    if (!match) return null;
    const [, before, point = "", after = "", exponent = ""] = match;
    if (before + after === "") return null;
    if (point + exponent !== "")
      return `${sign === "-" ? "-" : ""}${before.replace(/^0+(?=\d)/, "") || "0"}.${after || "0"}${exponent}`;
    return /^0+[1-9]/.test(before) ? null : wholeNumber(sign + before);
  }

  /** One or more texts side by side, which Python joins. */
  private strings(): string | null {
    let joined = "";
    while (this.text[this.at] === "'" || this.text[this.at] === '"') {
      const part = this.string();
      if (part === null) return null;
      joined += part;
      this.space();
    }
    return joined;
  }

  private string(): string | null {
    const mark = this.text[this.at];
    const quote = this.text.startsWith(mark.repeat(3), this.at) ? mark.repeat(3) : mark;
    this.at += quote.length;
    const parts: string[] = [];
    for (;;) {
      const start = this.at;
      while (this.at < this.text.length && !`${mark}\\\n`.includes(this.text[this.at])) this.at++;
      parts.push(this.text.slice(start, this.at));
      if (this.text.startsWith(quote, this.at)) break;
      const character = this.text[this.at];
      if (character === undefined || (character === "\n" && quote.length === 1)) return null;
      this.at++;
      const escaped = character === "\\" ? this.escape() : character;
      if (escaped === null) return null;
      parts.push(escaped);
    }
    this.at += quote.length;
    return parts.join("");
  }

  /** What a backslash and the following stand for. An unknown escape is kept as it is. */
  private escape(): string | null {
    const code = this.matched(/x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}/y);
    if (code !== null) {
      const point = Number.parseInt(code.slice(1), 16);
      return point > 0x10ffff ? null : String.fromCodePoint(point);
    }
    const octal = this.matched(/[0-7]{1,3}/y);
    if (octal !== null) return String.fromCodePoint(Number.parseInt(octal, 8));
    const character = this.text[this.at++];
    if (character === undefined || "xuUN".includes(character)) return null;
    return ESCAPES.get(character) ?? `\\${character}`;
  }

  private matched(pattern: RegExp): string | null {
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.text);
    if (match) this.at += match[0].length;
    return match?.[0] ?? null;
  }

  private take(character: string): boolean {
    this.space();
    if (this.text[this.at] !== character) return false;
    this.at++;
    return true;
  }

  private space(): void {
    while (" \t\r\n\f".includes(this.text[this.at] ?? "x")) this.at++;
  }
}

const WORDS = new Map([
  ["True", "true"],
  ["False", "false"],
  ["None", "null"],
]);

const ESCAPES = new Map([
  ["\n", ""],
  ["\\", "\\"],
  ["'", "'"],
  ['"', '"'],
  ["a", "\x07"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["v", "\v"],
]);
