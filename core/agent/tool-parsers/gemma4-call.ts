import { objectText } from "./argument-texts.js";
import { isJson } from "./json-scanner.js";
import type { ToolCall } from "./tool-parser.js";

/** Stands at both ends of a text value, whose inside is taken as it is. */
export const TEXT_MARK = '<|"|>';

const MAX_DEPTH = 200;

/** Reads `call:NAME{KEY:VALUE,…}`. */
export function readGemmaCall(text: string): ToolCall | { readonly name: string | null; readonly problem: string } {
  const brace = text.indexOf("{");
  const name = /^\s*call:([^{]*)/.exec(text)?.[1].trim() || null;
  if (name === null) return { name, problem: "names no tool" };
  if (brace < 0) return { name, problem: "has no arguments" };
  const reader = new ArgumentReader(text, brace);
  const json = reader.whole();
  return json === null
    ? { name, problem: `has arguments that cannot be read: ${reader.problem}` }
    : { name, arguments: json };
}

/** Turns the format's objects into JSON. */
class ArgumentReader {
  problem = "";

  constructor(
    private readonly text: string,
    private at: number,
  ) {}

  whole(): string | null {
    const json = this.object(0);
    if (json === null) return null;
    this.space();
    return this.at === this.text.length ? json : this.fail("the end");
  }

  private value(closer: "}" | "]", depth: number): string | null {
    this.space();
    if (depth > MAX_DEPTH) return this.fail(`at most ${MAX_DEPTH} levels`);
    if (this.text[this.at] === "{") return this.object(depth);
    if (this.text[this.at] === "[") return this.array(depth);
    const marked = this.marked();
    return marked === null ? bareValue(this.until(`,${closer}`)) : JSON.stringify(marked);
  }

  private object(depth: number): string | null {
    const members: [string, string][] = [];
    this.at++;
    while (!this.takeCloser("}")) {
      this.space();
      const key = this.marked() ?? this.until(":,{}[]").trim();
      this.space();
      if (this.text[this.at] !== ":") return this.fail("':'");
      this.at++;
      const json = this.value("}", depth + 1);
      if (json === null) return null;
      members.push([key, json]);
      if (!this.atSeparator("}")) return this.fail("',' or '}'");
    }
    return objectText(members);
  }

  private array(depth: number): string | null {
    const items: string[] = [];
    this.at++;
    while (!this.takeCloser("]")) {
      const json = this.value("]", depth + 1);
      if (json === null) return null;
      items.push(json);
      if (!this.atSeparator("]")) return this.fail("',' or ']'");
    }
    return `[${items.join(", ")}]`;
  }

  private takeCloser(closer: string): boolean {
    this.space();
    if (this.text[this.at] !== closer) return false;
    this.at++;
    return true;
  }

  /** Past a comma, or at the closer. */
  private atSeparator(closer: string): boolean {
    this.space();
    if (this.text[this.at] !== ",") return this.text[this.at] === closer;
    this.at++;
    return true;
  }

  private marked(): string | null {
    if (!this.text.startsWith(TEXT_MARK, this.at)) return null;
    const start = this.at + TEXT_MARK.length;
    const end = this.text.indexOf(TEXT_MARK, start);
    if (end < 0) return null;
    this.at = end + TEXT_MARK.length;
    return this.text.slice(start, end);
  }

  private until(ends: string): string {
    const start = this.at;
    while (this.at < this.text.length && !ends.includes(this.text[this.at])) {
      if (this.text.startsWith(TEXT_MARK, this.at)) break;
      this.at++;
    }
    return this.text.slice(start, this.at);
  }

  private space(): void {
    while (" \n\r\t".includes(this.text[this.at] ?? "x")) this.at++;
  }

  private fail(expected: string): null {
    this.problem = `${expected} was expected at character ${this.at + 1}`;
    return null;
  }
}

/** true, false and null in any case, numbers, else text. */
function bareValue(raw: string): string {
  const text = raw.trim();
  const word = text.toLowerCase();
  if (word === "true" || word === "false" || word === "null") return word;
  return /^[-0-9]/.test(text) && isJson(text) ? text : JSON.stringify(text);
}
