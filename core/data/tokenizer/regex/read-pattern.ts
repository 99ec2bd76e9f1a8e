import { reasonOf } from "../../../host/errors.js";
import type { JsonNode } from "../json-node.js";
import { alternativesPattern } from "./alternatives.js";
import { checkPattern } from "./check-pattern.js";
import { literalPattern, type Pattern, RegexPattern } from "./pattern.js";

/** `{"String": …}` or `{"Regex": …}`. */
export function readPattern(node: JsonNode): Pattern {
  const literal = node.object().at("String");
  if (!literal.isNull) return literalPattern(literal.text());
  const regex = node.at("Regex");
  try {
    const alternatives = alternativesPattern(regex.text());
    if (alternatives) return alternatives;
    checkPattern(regex.text());
    return new RegexPattern(regex.text());
  } catch (cause) {
    throw regex.invalid(reasonOf(cause), cause);
  }
}
