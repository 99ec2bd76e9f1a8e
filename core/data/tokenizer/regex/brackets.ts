import { inCategories, WORD } from "../unicode/categories.js";
import { WHITE_SPACE } from "../unicode/characters.js";
import { CodePointSet } from "../unicode/code-point-set.js";
import { readCodePoint } from "./escapes.js";
import type { PatternReader } from "./pattern-reader.js";
import { HEX_DIGIT, POSIX, property } from "./properties.js";
import { PatternError } from "./unsupported.js";

/** `[…]`; letter case may widen the members before a leading `^` turns them around. */
export interface Bracket {
  readonly members: CodePointSet;
  readonly negated: boolean;
}

/** The reader stands at the opening bracket. */
export function readBracket(reader: PatternReader): Bracket {
  reader.take("[");
  const negated = reader.take("^");
  let met: CodePointSet | null = null;
  let members = CodePointSet.EMPTY;
  for (let first = true; ; first = false) {
    if (reader.done) throw new PatternError("a bracket is not closed");
    // A bracket that closes at once is a member.
    if (!(first && reader.sees("]")) && reader.take("]")) break;
    if (reader.take("&&")) {
      met = met ? met.intersection(members) : members;
      members = CodePointSet.EMPTY;
    } else {
      members = members.union(readMember(reader));
    }
  }
  return { members: met ? met.intersection(members) : members, negated };
}

function readMember(reader: PatternReader): CodePointSet {
  const posix = reader.takeMatch(/\[:(\^?)(\w+):\]/y);
  if (posix) {
    const set = POSIX.get(posix[2]);
    if (!set) throw new PatternError(`"${posix[0]}" is not known`);
    return posix[1] ? set.complement() : set;
  }
  if (reader.sees("[")) {
    const inner = readBracket(reader);
    return inner.negated ? inner.members.complement() : inner.members;
  }
  const set = readEscapedSet(reader);
  if (set) return set;
  const first = readCharacter(reader);
  // A hyphen that ends the bracket, or stands before another, is a member.
  if (!reader.sees("-") || reader.sees("-]") || reader.sees("-[") || reader.sees("-&&")) return only(first);
  reader.take("-");
  if (/^\\[wWsSdDhHpP]/.test(reader.rest(2))) return only(first).union(only("-"));
  const last = readCharacter(reader);
  const [low, high] = [first.codePointAt(0) as number, last.codePointAt(0) as number];
  if (low > high) throw new PatternError(`the range ${first}-${last} is empty`);
  return CodePointSet.of([low, high]);
}

function readCharacter(reader: PatternReader): string {
  if (reader.done) throw new PatternError("a bracket is not closed");
  if (reader.take("\\b")) return "\b";
  return reader.sees("\\") ? readCodePoint(reader) : reader.next();
}

/** `\w`, `\p{…}` and the like, as they are inside brackets; null when none stands here. */
export function readEscapedSet(reader: PatternReader): CodePointSet | null {
  const named = reader.takeMatch(/\\([pP])\{(\^?)([^}]*)\}/y);
  if (named) {
    const set = property(named[3]);
    return (named[1] === "P") !== (named[2] === "^") ? set.complement() : set;
  }
  const short = reader.takeMatch(/\\([wWsSdDhH])/y);
  if (!short) return null;
  const set = SHORT[short[1].toLowerCase()];
  return short[1] === short[1].toLowerCase() ? set : set.complement();
}

const SHORT: Readonly<Record<string, CodePointSet>> = {
  w: WORD,
  s: WHITE_SPACE,
  d: inCategories("Nd"),
  h: HEX_DIGIT,
};

function only(character: string): CodePointSet {
  const code = character.codePointAt(0) as number;
  return CodePointSet.of([code, code]);
}
