import { shown } from "../../../host/util/shown.js";
import { BARE_WORD } from "../unicode/categories.js";
import { CodePointSet } from "../unicode/code-point-set.js";
import { readBracket, readEscapedSet } from "./brackets.js";
import { caselessSet, caselessText } from "./case-folding.js";
import { readCodePoint } from "./escapes.js";
import { PatternReader } from "./pattern-reader.js";
import { PatternError } from "./unsupported.js";

interface Options {
  readonly ignoreCase: boolean;
  /** The dot matches line breaks as well. */
  readonly dotAll: boolean;
  /** White space and comments mean nothing. */
  readonly extended: boolean;
}

/** A part of the pattern, to which a quantifier may apply. */
interface Atom {
  readonly source: string;
  /** A literal character without regard to letter case: what stands next to it may matter. */
  readonly caseless?: string;
}

/** Classes of Unicode are written out: the longest patterns in use become a fifth of this. */
const MAX_WRITTEN = 2 ** 19;

/** A group that only repeats one character; repeating it again changes nothing, but would let the engine divide the text in many ways. */
const REPEATED_CLASS = /^\(\?:(\[(?:\\.|[^\]\\])*\])([*+?])\)$/su;

const START = "(?<![^])";
const END = "(?![^])";

/** A JavaScript pattern, for the flag `u`, that matches what Oniguruma's default syntax makes of a pattern. */
export function translatePattern(pattern: string): string {
  return new Translator(pattern).translate();
}

class Translator {
  private readonly reader: PatternReader;
  /** Groups that stand for atomic ones. */
  private atomics = 0;
  private groups = 0;
  private lookBehinds = 0;
  private readonly hasNames: boolean;
  private readonly names: string[] = [];
  /** Characters of the translation so far; groups count again for each group around them. */
  private written = 0;

  constructor(private readonly pattern: string) {
    this.reader = new PatternReader(pattern);
    this.hasNames = /\(\?(<[^=!]|')/.test(pattern);
  }

  translate(): string {
    const source = this.alternatives({ ignoreCase: false, dotAll: false, extended: false });
    if (!this.reader.done) throw this.unsupported("a closing parenthesis without an opening one");
    return source;
  }

  private alternatives(options: Options): string {
    const branches = [this.branch(options)];
    while (this.reader.take("|")) branches.push(this.branch(options));
    return branches.join("|");
  }

  private branch(options: Options): string {
    const { reader } = this;
    let source = "";
    let caseless = "";
    const flush = () => {
      source += caselessText(caseless);
      caseless = "";
    };
    while (!reader.done && !reader.sees("|") && !reader.sees(")")) {
      if (this.skipBlank(options)) continue;
      const isolated = reader.takeMatch(/\(\?([imx]*)(?:-([imx]*))?\)/y);
      if (isolated) {
        flush();
        return `${source}(?:${this.alternatives(withFlags(options, isolated))})`;
      }
      const atom = this.atom(options);
      this.skipBlank(options);
      const quantified = this.quantified(atom.source);
      if (atom.caseless && quantified === atom.source) {
        caseless += atom.caseless;
        continue;
      }
      flush();
      source += quantified;
      this.written += quantified.length;
      if (this.written > MAX_WRITTEN) throw new PatternError("a pattern with too many classes of characters");
    }
    flush();
    return source;
  }

  private skipBlank({ extended }: Options): boolean {
    return extended && this.reader.takeMatch(/(?:\s+|#[^\n]*)+/y) !== null;
  }

  private atom(options: Options): Atom {
    const { reader } = this;
    if (reader.take("(")) return { source: this.group(options) };
    if (reader.sees("[")) return { source: this.bracket(options) };
    if (reader.take(".")) return { source: options.dotAll ? "[^]" : "[^\\n]" };
    if (reader.take("^")) return { source: `(?:${START}|(?<=\\n)(?=[^]))` };
    if (reader.take("$")) return { source: "(?![^\\n])" };
    if (reader.sees("\\")) return this.escape(options);
    if (reader.sees("*") || reader.sees("+") || reader.sees("?"))
      throw this.unsupported("a quantifier without a target");
    return this.literal(reader.next(), options);
  }

  private bracket(options: Options): string {
    const { members, negated } = readBracket(this.reader);
    if (options.ignoreCase) return caselessSet(members, negated);
    return (negated ? members.complement() : members).toPattern();
  }

  private literal(character: string, options: Options): Atom {
    if (options.ignoreCase) return { source: `(?:${caselessText(character)})`, caseless: character };
    const code = character.codePointAt(0) as number;
    return { source: CodePointSet.of([code, code]).toPattern() };
  }

  private escape(options: Options): Atom {
    const { reader } = this;
    const word = BARE_WORD.toPattern();
    const bare = reader.takeMatch(/\\([wW]|[pP]\{\^?[wW]ord\})/y);
    if (bare) {
      const negated = /^[WP]/.test(bare[1]) !== bare[1].includes("^");
      return { source: negated ? BARE_WORD.complement().toPattern() : word };
    }
    const set = readEscapedSet(reader);
    if (set) return { source: set.toPattern() };
    const known: Readonly<Record<string, () => string>> = {
      A: () => START,
      z: () => END,
      Z: () => `(?=\\n?${END})`,
      b: () => `(?:(?<=${word})(?!${word})|(?<!${word})(?=${word}))`,
      B: () => `(?:(?<=${word})(?=${word})|(?<!${word})(?!${word}))`,
      R: () => this.atomic("\\r\\n|[\\n-\\r\\x85\\u2028\\u2029]"),
      N: () => "[^\\n]",
      O: () => "[^]",
    };
    const name = reader.takeMatch(/\\([AzZbBRNO])/y);
    if (name) return { source: known[name[1]]() };
    const reference = reader.takeMatch(/\\(?:k<([^>]+)>|k'([^']+)'|([1-9]))/y);
    if (reference) return { source: this.reference(reference[1] ?? reference[2] ?? reference[3]) };
    const unknown = reader.takeMatch(/\\[GKXyYgCMkpP]/y);
    if (unknown) throw this.unsupported(`"${unknown[0]}"`);
    return this.literal(readCodePoint(reader), options);
  }

  private reference(target: string): string {
    if (!/^\d+$/.test(target)) {
      if (!this.names.includes(target)) throw this.unsupported(`a reference to "${target}"`);
      return `\\k<${target}>`;
    }
    if (this.hasNames || Number(target) > this.groups) throw this.unsupported(`a reference to group ${target}`);
    return `\\k<g${target}>`;
  }

  /** After the opening parenthesis. */
  private group(options: Options): string {
    const { reader } = this;
    if (reader.takeMatch(/\?#(?:\\[\s\S]|[^)\\])*\)/y)) return "(?:)";
    if (reader.take("?:")) return this.closed("(?:", options);
    if (reader.take("?>")) return this.atomic(this.closed("", options).slice(0, -1));
    for (const look of ["?=", "?!"]) if (reader.take(look)) return this.closed(`(${look}`, options);
    for (const look of ["?<=", "?<!"]) if (reader.take(look)) return this.lookBehind(look, options);
    const named = reader.takeMatch(/\?<([A-Za-z_]\w*)>|\?'([A-Za-z_]\w*)'/y);
    if (named) {
      const name = named[1] ?? named[2];
      if (this.names.includes(name)) throw this.unsupported(`two groups of the name "${name}"`);
      this.names.push(name);
      return this.closed(`(?<${name}>`, options);
    }
    const flags = reader.takeMatch(/\?([imx]*)(?:-([imx]*))?:/y);
    if (flags) return this.closed("(?:", withFlags(options, flags));
    if (reader.sees("?") || reader.sees("*")) throw this.unsupported(`"(${reader.rest(2)}"`);
    return this.closed(this.hasNames ? "(?:" : `(?<g${++this.groups}>`, options);
  }

  private lookBehind(look: string, options: Options): string {
    this.lookBehinds++;
    const source = this.closed(`(${look}`, options);
    this.lookBehinds--;
    return source;
  }

  private closed(opening: string, options: Options): string {
    const source = this.alternatives(options);
    if (!this.reader.take(")")) throw this.unsupported("a parenthesis that is not closed");
    return `${opening}${source})`;
  }

  /** JavaScript has no atomic groups, but a look-ahead is one: match it, then take what it matched. */
  private atomic(source: string): string {
    if (this.lookBehinds > 0) throw this.unsupported("an atomic group inside a look-behind");
    const name = `atomic${++this.atomics}`;
    return `(?:(?=(?<${name}>${source}))\\k<${name}>)`;
  }

  private quantified(source: string): string {
    const { reader } = this;
    for (let first = true; ; first = false) {
      const target = first ? source : `(?:${source})`;
      const simple = reader.takeMatch(/([*+?])([?+]?)/y);
      if (simple) {
        const [, many, mode] = simple;
        const inner = mode === "" && many !== "?" ? REPEATED_CLASS.exec(target) : null;
        if (inner) {
          source = inner[1] + (many === "+" && inner[2] === "+" ? "+" : "*");
          continue;
        }
        source = mode === "+" ? this.atomic(`${target}${many}`) : `${target}${many}${mode}`;
        continue;
      }
      const counted = reader.takeMatch(/\{(\d+)?(,)?(\d+)?\}/y);
      if (!counted) return source;
      source = this.counted(target, counted);
    }
  }

  private counted(target: string, [all, low, comma, high]: RegExpMatchArray): string {
    if (low === undefined && high === undefined) return `${target}${all.replace(/[{}]/g, "\\$&")}`;
    if (comma === undefined) return `${target}{${low}}`;
    if (high === undefined) return `${target}{${low},}${this.lazy()}`;
    const [least, most] = [Number(low ?? 0), Number(high)];
    return least > most ? this.atomic(`${target}{${most},${least}}`) : `${target}{${least},${most}}${this.lazy()}`;
  }

  private lazy(): string {
    return this.reader.take("?") ? "?" : "";
  }

  private unsupported(what: string): PatternError {
    return new PatternError(`the pattern ${shown(this.pattern)} has ${what}, which cannot be translated`);
  }
}

function withFlags(options: Options, [, on, off = ""]: RegExpMatchArray): Options {
  const flag = (letter: string, now: boolean) => (on.includes(letter) || now) && !off.includes(letter);
  return {
    ignoreCase: flag("i", options.ignoreCase),
    dotAll: flag("m", options.dotAll),
    extended: flag("x", options.extended),
  };
}
