import { shown } from "../../../host/util/shown.js";
import { PatternError } from "./unsupported.js";

/** One piece of a pattern in Oniguruma's syntax; brackets are skipped as a whole. */
const PIECE =
  /(?<escape>\\(?:[pPx]\{[^}]*\}|k<[^>]*>|[\s\S]))|(?<blank>\(\?#(?:\\[\s\S]|[^)\\])*\)|\(\?[imx-]*\))|(?<open>\((?:\?(?:<?[=!]|>|[imx-]*:|<\w+>|'\w+'))?)|(?<repeat>(?:[*+?][?+]?|\{\d*,?\d*\}\??))|[\s\S]/y;

class Group {
  /** Something inside can match in several ways. */
  varies = false;
  /** The branch so far ends with a repetition that must not have to give back. */
  isOpenEnded = false;
  /** An earlier branch does. */
  hasOpenEnd = false;

  /** What is inside, in order: `(` for a group, `|` for a choice, `.` for a character or class, repetitions as written. */
  content = "";

  constructor(
    /** Plain `(?:`. */
    readonly isPlain: boolean,
    /** It matches one way or not at all: assertions and atomic groups. */
    readonly isAtomic: boolean,
  ) {}
}

/** The engine that runs patterns compiles them by recursion, and ends the process where one is too much. */
const MAX_LENGTH = 2 ** 18;
const MAX_DEPTH = 100;
/** Repetitions of repetitions. */
const MAX_STACKED = 4;

/**
 * Refuse a pattern that is too long or too deep for the engine, and one that repeats, without bound, a group that can itself match
 * in several ways, and goes on behind, as `(a+)+$` and `(a|ab)*c` do: where the rest does not match, an engine that goes back tries
 * all ways, and their number doubles with every character. Patterns of published tokenizers hold no such groups.
 */
export function checkPattern(pattern: string): void {
  if (pattern.length > MAX_LENGTH) throw new PatternError(`a pattern of more than ${MAX_LENGTH} characters`);
  const groups = [new Group(false, false)];
  let stacked = 0;
  /** Of what a repetition would apply to. */
  let last = { varies: false, isOpenEnded: false };
  for (let at = 0; at < pattern.length; ) {
    PIECE.lastIndex = at;
    const { 0: piece, groups: kinds = {} } = PIECE.exec(pattern) as RegExpExecArray;
    at = piece === "[" ? endOfBracket(pattern, at) : at + piece.length;
    const group = groups[groups.length - 1];
    if (kinds.blank !== undefined) continue;
    stacked = kinds.repeat === undefined ? 0 : stacked + 1;
    if (groups.length > MAX_DEPTH || stacked > MAX_STACKED) throw tooDeep(pattern);
    if (piece === "|") {
      group.content += "|";
      group.varies = true;
      group.hasOpenEnd ||= group.isOpenEnded;
      group.isOpenEnded = false;
    } else if (piece === ")" && groups.length > 1) {
      groups.pop();
      const around = groups[groups.length - 1];
      // The translation makes one repetition of one inside the other.
      const isOneLoop = group.isPlain && /^\.[*+?]$/.test(group.content) && !pattern.includes("(?i");
      last =
        group.isAtomic || isOneLoop
          ? { varies: false, isOpenEnded: false }
          : { varies: group.varies, isOpenEnded: group.isOpenEnded || group.hasOpenEnd };
      around.varies ||= last.varies;
      around.isOpenEnded = last.isOpenEnded;
    } else if (kinds.repeat !== undefined) {
      if (last.isOpenEnded) throw endless(pattern);
      group.content += piece;
      const isPossessive = /^[*+?]\+$/.test(piece);
      const isUnbounded = /^(?:[*+]|\{\d*,\})/.test(piece);
      group.isOpenEnded = last.varies && isUnbounded && !isPossessive;
      last = { varies: !isPossessive && !/^\{\d+\}$/.test(piece), isOpenEnded: group.isOpenEnded };
      group.varies ||= last.varies;
    } else {
      if (group.isOpenEnded) throw endless(pattern);
      group.content += kinds.open === undefined ? "." : "(";
      last = { varies: false, isOpenEnded: false };
      if (kinds.open !== undefined) groups.push(new Group(piece === "(?:", /^\(\?(?:<?[=!]|>)/.test(piece)));
    }
  }
}

function tooDeep(pattern: string): PatternError {
  return new PatternError(`the pattern ${shown(pattern)} lies too deep inside itself`);
}

function endless(pattern: string): PatternError {
  return new PatternError(
    `the pattern ${shown(pattern)} repeats what varies inside, and goes on behind: it could take for ever`,
  );
}

/** Brackets lie inside each other, and one that closes at once is a member. */
function endOfBracket(pattern: string, start: number): number {
  let depth = 0;
  for (let at = start; at < pattern.length; at++) {
    if (pattern[at] === "\\") at++;
    else if (pattern[at] === "[") {
      if (++depth > MAX_DEPTH) throw tooDeep(pattern);
      if (pattern[at + 1] === "^") at++;
      if (pattern[at + 1] === "]") at++;
    } else if (pattern[at] === "]" && --depth === 0) return at + 1;
  }
  return pattern.length;
}
