/** As deep as Python's reader goes, so that what passes here can be read anywhere. */
const MAX_DEPTH = 990;

const ATOM = /^(?:true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)$/;

/** What may come next. The names of the first five are how they are put to a user. */
type State =
  | "a value"
  | "a value or ']'"
  | "a property name or '}'"
  | "a property name"
  | "':'"
  | "after"
  | "string"
  | "escape"
  | "hex"
  | "atom";

/** Checks one JSON value (RFC 8259), unit by unit, without keeping it. */
export class JsonScanner {
  private state: State = "a value";
  private readonly closers: ("}" | "]")[] = [];
  /** The string being read is a property name. */
  private isName = false;
  private hexDigits = 0;
  private atom = "";
  private length = 0;
  private problem: string | null = null;
  /** Where the last string began, in units from the beginning. */
  lastString = 0;

  /** Whether the next unit belongs to a string, whatever it is. */
  get inString(): boolean {
    return this.problem === null && (this.state === "string" || this.state === "escape" || this.state === "hex");
  }

  /** Whether no continuation makes this JSON. */
  get broken(): boolean {
    return this.problem !== null;
  }

  push(unit: number): void {
    if (this.problem !== null) return;
    this.length++;
    if (this.state === "string") this.inText(unit);
    else if (this.state === "escape") this.afterBackslash(unit);
    else if (this.state === "hex") this.hex(unit);
    else if (this.state === "atom" && isAtomUnit(unit)) this.atom += String.fromCharCode(unit);
    else this.structure(unit);
  }

  /** What keeps that which was pushed from being one JSON value, or null. */
  end(): string | null {
    if (this.state === "atom") this.endAtom();
    if (this.problem === null && (this.state !== "after" || this.closers.length > 0)) {
      this.problem = this.length === 0 ? "it is empty" : "it ends too early";
    }
    return this.problem;
  }

  private structure(unit: number): void {
    if (this.state === "atom") this.endAtom();
    if (this.problem !== null || unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09) return;
    const character = String.fromCharCode(unit);
    const { state } = this;
    if (state === "':'") {
      if (character === ":") this.state = "a value";
      else this.expected(state, character);
    } else if (state === "after") this.afterValue(character);
    else if (state === "a property name" || state === "a property name or '}'") {
      if (character === '"') this.string(true);
      else if (character === "}" && state !== "a property name") this.close();
      else this.expected(state, character);
    } else if (character === "]" && state === "a value or ']'") this.close();
    else this.value(character, unit);
  }

  private value(character: string, unit: number): void {
    if (character === '"') this.string(false);
    else if (character === "{") this.open("}", "a property name or '}'");
    else if (character === "[") this.open("]", "a value or ']'");
    else if (isAtomUnit(unit)) {
      this.state = "atom";
      this.atom = character;
    } else this.expected("a value", character);
  }

  private afterValue(character: string): void {
    const closer = this.closers.at(-1);
    if (closer === undefined) this.expected("the end", character);
    else if (character === closer) this.close();
    else if (character === ",") this.state = closer === "}" ? "a property name" : "a value";
    else this.expected(`',' or '${closer}'`, character);
  }

  private open(closer: "}" | "]", state: State): void {
    if (this.closers.length === MAX_DEPTH) this.problem = `it is nested more than ${MAX_DEPTH} deep`;
    this.closers.push(closer);
    this.state = state;
  }

  private close(): void {
    this.closers.pop();
    this.state = "after";
  }

  private string(isName: boolean): void {
    this.isName = isName;
    this.lastString = this.length - 1;
    this.state = "string";
  }

  private inText(unit: number): void {
    if (unit === 0x22) this.state = this.isName ? "':'" : "after";
    else if (unit === 0x5c) this.state = "escape";
    else if (unit < 0x20) this.problem = `a control character stands in a string, at character ${this.length}`;
  }

  private afterBackslash(unit: number): void {
    const character = String.fromCharCode(unit);
    if (character === "u") {
      this.state = "hex";
      this.hexDigits = 0;
    } else if ('"\\/bfnrt'.includes(character)) this.state = "string";
    else this.problem = `\\${character} is no escape, at character ${this.length}`;
  }

  private hex(unit: number): void {
    if (!/[0-9a-fA-F]/.test(String.fromCharCode(unit))) this.expected("a hexadecimal digit", String.fromCharCode(unit));
    else if (++this.hexDigits === 4) this.state = "string";
  }

  private endAtom(): void {
    this.state = "after";
    if (ATOM.test(this.atom)) return;
    const shown = this.atom.length > 40 ? `${this.atom.slice(0, 40)}…` : this.atom;
    this.problem = `${shown} is no value, before character ${this.length + 1}`;
  }

  private expected(what: string, found: string): void {
    this.problem = `${what} was expected at character ${this.length}, not ${JSON.stringify(found)}`;
  }
}

/** Whether a text is one JSON value. */
export function isJson(text: string): boolean {
  const scanner = new JsonScanner();
  for (let i = 0; i < text.length && !scanner.broken; i++) scanner.push(text.charCodeAt(i));
  return scanner.end() === null;
}

function isAtomUnit(unit: number): boolean {
  return (
    (unit >= 0x30 && unit <= 0x39) ||
    (unit >= 0x61 && unit <= 0x7a) ||
    (unit >= 0x41 && unit <= 0x5a) ||
    unit === 0x2b ||
    unit === 0x2d ||
    unit === 0x2e
  );
}
