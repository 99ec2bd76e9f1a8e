import { CodePointSet } from "./code-point-set.js";
import { CATEGORIES, OTHER_ALPHABETIC, OTHER_LOWERCASE, OTHER_UPPERCASE } from "./tables.js";
import { VlqReader } from "./vlq.js";

const CATEGORY_NAMES = "Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Co Cn".split(
  " ",
);

const RANGES: ReadonlyMap<string, readonly [number, number][]> = readCategories();

function readCategories(): Map<string, [number, number][]> {
  const ranges = new Map(CATEGORY_NAMES.map((name): [string, [number, number][]] => [name, []]));
  const reader = new VlqReader(CATEGORIES);
  for (let start = 0; !reader.done; ) {
    const end = start + reader.number();
    ranges.get(CATEGORY_NAMES[reader.letter()])?.push([start, end - 1]);
    start = end;
  }
  return ranges;
}

/** Characters of general categories: `Nd`, or all that start with a letter, `N`. */
export function inCategories(...names: string[]): CodePointSet {
  const found = [...RANGES].filter(([name]) => names.some((wanted) => name.startsWith(wanted)));
  return CodePointSet.of(...found.flatMap(([, ranges]) => ranges));
}

export const ALPHABETIC = inCategories("L", "Nl").union(CodePointSet.decode(OTHER_ALPHABETIC));
export const UPPERCASE = inCategories("Lu").union(CodePointSet.decode(OTHER_UPPERCASE));
export const LOWERCASE = inCategories("Ll").union(CodePointSet.decode(OTHER_LOWERCASE));
/** What `[\w]` matches. */
export const WORD = ALPHABETIC.union(inCategories("M", "Nd", "Pc"));
/** What `\w` matches outside brackets, and what `\b` goes by: Latin-1's superscripts and fractions as well. */
export const BARE_WORD = WORD.union(CodePointSet.of([0xb2, 0xb3], [0xb9, 0xb9], [0xbc, 0xbe]));
export const ASSIGNED = inCategories("Cn").complement();
