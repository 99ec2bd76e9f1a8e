import type { JsonNode } from "../json-node.js";
import { BERT_REMOVED, NONSPACING, replaceIn, WHITE_SPACE } from "../unicode/characters.js";
import { CodePointSet } from "../unicode/code-point-set.js";
import { lowercase } from "../unicode/lowercase.js";
import { normalise } from "../unicode/normalise.js";
import { characterNormalizer, type Normalizer } from "./normalizer.js";

/** The blocks that BERT calls Chinese; one of them starts later than the block itself. */
const CHINESE = CodePointSet.of(
  [0x4e00, 0x9fff],
  [0x3400, 0x4dbf],
  [0x20000, 0x2a6df],
  [0x2a700, 0x2b73f],
  [0x2b740, 0x2b81f],
  [0x2b920, 0x2ceaf],
  [0xf900, 0xfaff],
  [0x2f800, 0x2fa1f],
);

/** `BertNormalizer`: cleaning, spaces around Chinese characters, accents, lower case. */
export function bertNormalizer(node: JsonNode): Normalizer {
  const lower = node.at("lowercase").boolean();
  const clean = node.at("clean_text").boolean();
  const chinese = node.at("handle_chinese_chars").boolean();
  const strip = node.at("strip_accents").or(lower, (field) => field.boolean());
  return characterNormalizer((text) => {
    if (clean) text = replaceIn(WHITE_SPACE, replaceIn(BERT_REMOVED, text, ""), " ");
    if (chinese) text = surroundChinese(text);
    if (strip) text = replaceIn(NONSPACING, normalise(text, "NFD"), "");
    return lower ? lowercase(text) : text;
  });
}

function surroundChinese(text: string): string {
  let out = "";
  for (const character of text) {
    out += CHINESE.has(character.codePointAt(0) as number) ? ` ${character} ` : character;
  }
  return out;
}
