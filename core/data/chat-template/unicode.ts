/** Letter case and classes of characters as Python sees them, where JavaScript has no such function. Characters are code points. */

const DIGRAPHS: ReadonlyMap<string, string> = new Map(
  ["ǄǅǆD", "ǇǈǉL", "ǊǋǌN", "ǱǲǳZ"].flatMap(([upper, title, lower]) => [upper, title, lower].map((c) => [c, title])),
);
const IOTA_SUBSCRIPT = "\u0345";

/** Python's `str.title` of one character. It differs from upper case for digraphs, ligatures, Georgian, and Greek with a written iota. */
export function titleCharacter(character: string): string {
  const digraph = DIGRAPHS.get(character);
  if (digraph !== undefined) return digraph;
  if (/\p{Script=Georgian}/u.test(character) && character <= "\u10ff") return character;
  const upper = [...character.toUpperCase()];
  if (upper.length === 1 || character === "ŉ") return upper.join("");
  if (upper.at(-1) === "Ι" && character >= "\u1f80") {
    const base = upper.slice(0, -1).join("") + IOTA_SUBSCRIPT;
    return upper.length === 2 ? base.normalize("NFC") : base;
  }
  return upper[0] + upper.slice(1).join("").toLowerCase();
}

/** The lower case of one character of a text: a capital sigma depends on its neighbours. */
export function lowerAt(characters: readonly string[], index: number): string {
  if (characters[index] !== "Σ") return characters[index].toLowerCase();
  const ignorable = (c: string) => /\p{Case_Ignorable}/u.test(c);
  let before = index - 1;
  while (before >= 0 && ignorable(characters[before])) before--;
  let after = index + 1;
  while (after < characters.length && ignorable(characters[after])) after++;
  const endsWord =
    before >= 0 && isCased(characters[before]) && !(after < characters.length && isCased(characters[after]));
  return endsWord ? "ς" : "σ";
}

/** Python's `str.casefold`. */
export function caseFold(text: string): string {
  let out = "";
  for (const character of text) {
    const upper = character.toUpperCase();
    if (character === "ı") out += character;
    else if (/\p{Script=Cherokee}/u.test(character)) out += upper;
    else for (const c of upper === "ẞ" ? "SS" : upper) out += c.toLowerCase();
  }
  return out;
}

export function isCased(character: string): boolean {
  return /^[\p{Uppercase}\p{Lowercase}\p{Lt}]$/u.test(character);
}

export function isUpper(character: string): boolean {
  return /^\p{Uppercase}$/u.test(character);
}

export function isLower(character: string): boolean {
  return /^\p{Lowercase}$/u.test(character);
}

export function isTitle(character: string): boolean {
  return /^\p{Lt}$/u.test(character);
}

export function isDecimal(character: string): boolean {
  return /^\p{Nd}$/u.test(character);
}

/** Digits that are no decimals: superscripts, circled digits, … */
const OTHER_DIGITS =
  /^[²³¹\u1369-\u1371\u19da\u2070\u2074-\u2079\u2080-\u2089\u2460-\u2468\u2474-\u247c\u2488-\u2490\u24ea\u24f5-\u24fd\u24ff\u2776-\u277e\u2780-\u2788\u278a-\u2792\u{10a40}-\u{10a43}\u{10e60}-\u{10e68}\u{11052}-\u{1105a}\u{1f100}-\u{1f10a}]$/u;

export function isDigit(character: string): boolean {
  return isDecimal(character) || OTHER_DIGITS.test(character);
}

/** Chinese characters that stand for numbers. */
const NUMERALS = new Set(
  "㐅㒃㠪㭍一七万三九二五亖亿什仟仨伍佰億兆兩八六十千卄卅卌叁参參叄四壱壹幺廾廿弌弍弎弐拾捌柒漆玖百肆萬貮貳贰阡陆陌陸零" +
    "\uf96b\uf973\uf978\uf9b2\uf9d1\uf9d3\uf9fd" +
    "𠀁𠁤𠃢𠄡𠤪𠦃𠦌𠦜𠫪𠫽𠬙𢎐𢦘𣬛𦉭\u{2f890}",
);

export function isNumeric(character: string): boolean {
  return /^\p{N}$/u.test(character) || NUMERALS.has(character);
}

export function isPrintable(character: string): boolean {
  return character === " " || !/^[\p{C}\p{Z}]$/u.test(character);
}

export function isIdentifier(text: string): boolean {
  return /^[\p{XID_Start}_]\p{XID_Continue}*$/u.test(text);
}

/** Decimal digits of any script as ASCII digits, which is how Python's `int` and `float` read them. */
export function asciiDigits(text: string): string {
  return text.replace(/[^\0-\x7f]/gu, (character) =>
    isDecimal(character) ? String(decimalValue(character)) : character,
  );
}

/** Decimal digits stand in runs of ten, zero first; a run of several tens (mathematical digits) starts at a multiple of ten, too. */
function decimalValue(character: string): number {
  let start = character.codePointAt(0) as number;
  const code = start;
  while (isDecimal(String.fromCodePoint(start - 1))) start--;
  return (code - start) % 10;
}
