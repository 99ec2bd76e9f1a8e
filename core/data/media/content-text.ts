import { isObject } from "../../host/util/plain-object.js";
import type { ChatContentPart } from "../tokenizer.js";
import { idOfReference, mediaKindOf, mediaValueOf } from "./media.js";

/** Characters of a medium's path that are shown; longer texts are media themselves. */
const MAX_NAME = 120;

/** A message's content for people, on one line of text for each part. */
export function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return JSON.stringify(content);
  return (content as readonly ChatContentPart[]).map(partText).join("\n");
}

function partText(part: ChatContentPart): string {
  // Of a file from outside.
  if (!isObject(part)) return JSON.stringify(part);
  if (part.type === "text" && typeof part.text === "string") return part.text;
  const kind = mediaKindOf(part);
  if (kind === null) return JSON.stringify(part);
  const value = mediaValueOf(part, kind);
  if (idOfReference(value) !== null) return `[${kind} ${String(value).slice(0, "sha256:".length + 8)}]`;
  return `[${kind} ${typeof value === "string" && value.length <= MAX_NAME ? value : "…"}]`;
}
