import { replaceIn } from "../unicode/characters.js";
import { CodePointSet } from "../unicode/code-point-set.js";
import { characterNormalizer, type Normalizer } from "./normalizer.js";

const CONTROLS = CodePointSet.of([0x01, 0x08], [0x0b, 0x0b], [0x0e, 0x1f], [0x7f, 0x7f], [0x8f, 0x8f], [0x9f, 0x9f]);
const SPACES = CodePointSet.of(
  [0x09, 0x0a],
  [0x0c, 0x0d],
  [0x1680, 0x1680],
  [0x200b, 0x200f],
  [0x2028, 0x2029],
  [0x2581, 0x2581],
  [0xfeff, 0xfeff],
  [0xfffd, 0xfffd],
);

/** `Nmt`: control characters away, what counts as white space to a space. */
export function nmtNormalizer(): Normalizer {
  return characterNormalizer((text) => replaceIn(SPACES, replaceIn(CONTROLS, text, ""), " "));
}
