import { inCategories, LOWERCASE, UPPERCASE } from "../unicode/categories.js";
import { CodePointSet } from "../unicode/code-point-set.js";
import { PatternError } from "./unsupported.js";

/** The Turkish letters fold to themselves. */
const TURKISH = CodePointSet.of([0x130, 0x131]);
/** Characters that letter case concerns; the last one is a mark. */
const CASED = CodePointSet.of(
  ...LOWERCASE.ranges(),
  ...UPPERCASE.ranges(),
  ...inCategories("Lt").ranges(),
  [0x345, 0x345],
).intersection(TURKISH.complement());

/** Characters that are equal but for letter case, by what they fold to. */
const CLASSES: ReadonlyMap<number, readonly number[]> = caseClasses();

function caseClasses(): Map<number, number[]> {
  const classes = new Map<number, number[]>();
  for (const code of codesOf(CASED)) {
    const folded = fold(code);
    classes.set(folded, [...(classes.get(folded) ?? []), code]);
  }
  return classes;
}

function* codesOf(set: CodePointSet): Generator<number> {
  for (const [first, last] of set.ranges()) for (let code = first; code <= last; code++) yield code;
}

/** Simple case folding: upper, then lower case, where these are single characters. */
function fold(code: number): number {
  const upper = single(String.fromCodePoint(code).toUpperCase()) ?? code;
  return single(String.fromCodePoint(upper).toLowerCase()) ?? upper;
}

function single(text: string): number | undefined {
  const code = text.codePointAt(0) as number;
  return text.length === (code > 0xffff ? 2 : 1) ? code : undefined;
}

/** A JavaScript pattern for a character of a set without regard to letter case, or for what one of them folds to. */
export function caselessSet(set: CodePointSet, negated: boolean): string {
  const closed = closeOverCase(set);
  if (negated) return closed.complement().toPattern();
  const long = [...LONG_FOLDS].filter(([, folding]) => folding.intersection(closed).ranges().length > 0);
  return `(?:${[closed.toPattern(), ...long.map(([text]) => caselessCharacters([...text]))].join("|")})`;
}

/** A set with every character that equals a member but for letter case. */
function closeOverCase(set: CodePointSet): CodePointSet {
  const cased = codesOf(set.intersection(CASED));
  const added = Array.from(cased, (code) => CLASSES.get(fold(code)) ?? []).flat();
  return CodePointSet.of(...set.ranges(), ...added.map((code) => [code, code] as const));
}

/** Characters that fold to several. */
const LONG_CASED = CodePointSet.of(
  ...Array.from(codesOf(CASED))
    .filter((code) => [...longFold(String.fromCodePoint(code))].length > 1)
    .map((code) => [code, code] as const),
);

/** Texts of several characters that single ones fold to, `ss` for ß or `fi` for the ligature, with these. */
const LONG_FOLDS: ReadonlyMap<string, CodePointSet> = longFolds();

function longFolds(): Map<string, CodePointSet> {
  const folds = new Map<string, CodePointSet>();
  for (const code of codesOf(LONG_CASED)) {
    const text = longFold(String.fromCodePoint(code));
    folds.set(text, (folds.get(text) ?? CodePointSet.EMPTY).union(CodePointSet.of([code, code])));
  }
  return folds;
}

function longFold(character: string): string {
  return character.toLowerCase().toUpperCase().toLowerCase();
}

/** A JavaScript pattern for a literal text without regard to letter case, also where one character stands for several. */
export function caselessText(text: string): string {
  const characters = [...text].flatMap((character) => [...longOf(character)]);
  const longAt = (at: number) =>
    [3, 2].filter(
      (length) => at + length <= characters.length && LONG_FOLDS.has(foldText(characters.slice(at, at + length))),
    );
  let source = "";
  for (let at = 0; at < characters.length; ) {
    const [length = 1, ...others] = longAt(at);
    const part = characters.slice(at, at + length);
    const overlaps = part.slice(1).some((_, i) => longAt(at + 1 + i).length > 0);
    if (others.length > 0 || overlaps) {
      throw new PatternError(
        `"${text}" without regard to letter case is ambiguous, since one character may stand for several`,
      );
    }
    const plain = caselessCharacters(part);
    source += length === 1 ? plain : `(?:${plain}|${LONG_FOLDS.get(foldText(part))?.toPattern()})`;
    at += length;
  }
  return source;
}

function caselessCharacters(characters: readonly string[]): string {
  return characters.map((character) => closeOverCase(only(character)).toPattern()).join("");
}

function longOf(character: string): string {
  return LONG_CASED.has(character.codePointAt(0) as number) ? longFold(character) : character;
}

function foldText(characters: readonly string[]): string {
  return characters.map((character) => String.fromCodePoint(fold(character.codePointAt(0) as number))).join("");
}

function only(character: string): CodePointSet {
  const code = character.codePointAt(0) as number;
  return CodePointSet.of([code, code]);
}
