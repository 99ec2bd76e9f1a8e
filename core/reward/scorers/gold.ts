import type { JsonValue } from "../../host/types.js";
import { boxedAnswer } from "./boxed.js";

/** The gold answers of a row: a text or a number, or a list of which each is right. */
export function goldTexts(groundTruth: JsonValue): string[] {
  const list = Array.isArray(groundTruth) ? groundTruth : [groundTruth];
  return list.filter((gold) => typeof gold === "string" || typeof gold === "number").map(String);
}

/** The same for mathematics, where a gold answer may be a worked solution with the answer in a box. */
export function goldAnswers(groundTruth: JsonValue): string[] {
  return goldTexts(groundTruth).map((text) => (text.includes("\\boxed") ? (boxedAnswer(text) ?? "") : text));
}
