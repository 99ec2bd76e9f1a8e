import { ALPHABETIC, ASSIGNED, inCategories, LOWERCASE, UPPERCASE, WORD } from "../unicode/categories.js";
import { WHITE_SPACE } from "../unicode/characters.js";
import { CodePointSet } from "../unicode/code-point-set.js";
import { inScript } from "../unicode/scripts.js";
import { PatternError } from "./unsupported.js";

const ASCII = CodePointSet.of([0, 0x7f]);
const DIGIT = inCategories("Nd");
export const HEX_DIGIT = CodePointSet.of([0x30, 0x39], [0x41, 0x46], [0x61, 0x66]);
const CONTROL = inCategories("Cc");
const GRAPH = WHITE_SPACE.union(CONTROL).complement().intersection(ASSIGNED);
const BLANK = inCategories("Zs").union(CodePointSet.of([9, 9]));

/** `[:name:]`. */
export const POSIX: ReadonlyMap<string, CodePointSet> = new Map([
  ["alnum", ALPHABETIC.union(DIGIT)],
  ["alpha", ALPHABETIC],
  ["ascii", ASCII],
  ["blank", BLANK],
  ["cntrl", CONTROL],
  ["digit", DIGIT],
  ["graph", GRAPH],
  ["lower", LOWERCASE],
  ["print", GRAPH.union(inCategories("Zs"))],
  ["punct", inCategories("P", "S")],
  ["space", WHITE_SPACE],
  ["upper", UPPERCASE],
  ["xdigit", HEX_DIGIT],
  ["word", WORD],
]);

const CATEGORY_ALIASES: Readonly<Record<string, string>> = {
  letter: "L",
  casedletter: "LC",
  uppercaseletter: "Lu",
  lowercaseletter: "Ll",
  titlecaseletter: "Lt",
  modifierletter: "Lm",
  otherletter: "Lo",
  mark: "M",
  combiningmark: "M",
  nonspacingmark: "Mn",
  spacingmark: "Mc",
  enclosingmark: "Me",
  number: "N",
  decimalnumber: "Nd",
  letternumber: "Nl",
  othernumber: "No",
  punctuation: "P",
  punct: "P",
  connectorpunctuation: "Pc",
  dashpunctuation: "Pd",
  openpunctuation: "Ps",
  closepunctuation: "Pe",
  initialpunctuation: "Pi",
  finalpunctuation: "Pf",
  otherpunctuation: "Po",
  symbol: "S",
  mathsymbol: "Sm",
  currencysymbol: "Sc",
  modifiersymbol: "Sk",
  othersymbol: "So",
  separator: "Z",
  spaceseparator: "Zs",
  lineseparator: "Zl",
  paragraphseparator: "Zp",
  other: "C",
  control: "Cc",
  format: "Cf",
  privateuse: "Co",
  unassigned: "Cn",
};

const CATEGORY = /^([lmnpszc]|l[ultmo]|m[nce]|n[dlo]|p[cdseifo]|s[mcko]|z[slp]|c[cfon])$/;

/** `\p{name}`, whose letter case, spaces, hyphens and underscores do not matter. */
export function property(name: string): CodePointSet {
  const plain = name.toLowerCase().replace(/[\s_-]/g, "");
  const alias = CATEGORY_ALIASES[plain];
  const category = alias ?? (CATEGORY.test(plain) ? plain[0].toUpperCase() + plain.slice(1) : undefined);
  if (plain === "lc" || category === "LC") return inCategories("Lu", "Ll", "Lt");
  if (category !== undefined) return inCategories(category);
  const known = POSIX.get(plain);
  if (known) return known;
  if (plain === "any") return CodePointSet.ALL;
  if (plain === "assigned") return ASSIGNED;
  return inScript(plain) ?? platformProperty(name);
}

/**
 * Binary properties as JavaScript knows them, without characters that are newer than the tables of the regular expressions: values
 * of characters that exist hardly ever change.
 */
function platformProperty(name: string): CodePointSet {
  const title = name
    .split(/[\s_-]+/)
    .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1).toLowerCase())
    .join("_");
  for (const candidate of [name, title, name.toUpperCase()]) {
    let pattern: RegExp;
    try {
      pattern = new RegExp(`^\\p{${candidate}}`, "u");
    } catch {
      continue;
    }
    return CodePointSet.filter((code) => pattern.test(String.fromCodePoint(code))).intersection(ASSIGNED);
  }
  throw new PatternError(`the character property "${name}" is not known`);
}
