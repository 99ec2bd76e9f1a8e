import { translatePattern } from "./translate.js";

/** Start and end of a match, in UTF-16 units. */
export type Match = readonly [start: number, end: number];

/** A search for all matches in a text, as the Rust library runs it. */
export interface Pattern {
  matches(text: string): Match[];
}

export class RegexPattern implements Pattern {
  private readonly regex: RegExp;

  constructor(pattern: string) {
    this.regex = new RegExp(translatePattern(pattern), "gu");
  }

  /** An empty match right after the match before it does not count; the search goes on one character later. */
  matches(text: string): Match[] {
    const found: Match[] = [];
    const { regex } = this;
    let last = -1;
    for (let from = 0; from <= text.length; ) {
      regex.lastIndex = from;
      const match = regex.exec(text);
      if (!match) break;
      const end = match.index + match[0].length;
      if (end === match.index && end === last) {
        from += (text.codePointAt(from) ?? 0) > 0xffff ? 2 : 1;
        continue;
      }
      found.push([match.index, end]);
      from = last = end;
    }
    return found;
  }
}

export class LiteralPattern implements Pattern {
  constructor(private readonly literal: string) {}

  matches(text: string): Match[] {
    const { literal } = this;
    const found: Match[] = [];
    for (let at = text.indexOf(literal); at >= 0; at = text.indexOf(literal, at + literal.length)) {
      found.push([at, at + literal.length]);
    }
    return found;
  }
}

/** A literal text; the empty one matches at every place. */
export function literalPattern(literal: string): Pattern {
  return literal === "" ? new RegexPattern("") : new LiteralPattern(literal);
}
