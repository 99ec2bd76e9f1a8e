import type { ChatMessage } from "./tokenizer.js";

/** A message's content as one text; null if a part of it is no text. */
export function plainText(content: ChatMessage["content"]): string | null {
  if (typeof content === "string" || content === null) return content ?? "";
  const texts = content.map((part) => ("text" in part && typeof part.text === "string" ? part.text : null));
  return texts.includes(null) ? null : texts.join("");
}
