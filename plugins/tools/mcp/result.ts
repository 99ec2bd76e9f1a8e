import type { ToolResult } from "../../../core/plugin.js";
import type { RemoteResult } from "./server.js";

interface Part {
  readonly type: string;
  readonly [name: string]: unknown;
}

/**
 * What the model reads of a result: its text parts joined by spaces. Other parts are named in their place, for a model that reads
 * texts alone; with `passMedia` images and sound go on as content parts instead.
 */
export function toToolResult(result: RemoteResult, passMedia: boolean): ToolResult {
  const { content, structuredContent, toolResult } = result as {
    readonly content?: readonly Part[];
    readonly structuredContent?: unknown;
    /** Of the first protocol version. */
    readonly toolResult?: unknown;
  };
  const parts = content ?? [];
  const isMedia = ({ type }: Part) => passMedia && (type === "image" || type === "audio");
  const texts = parts.filter((part) => !isMedia(part)).map(textOf);
  const bare = structuredContent ?? toolResult;
  const text = parts.length === 0 && bare !== undefined ? JSON.stringify(bare) : texts.join(" ");
  const media = parts.filter(isMedia).map((part) => ({ type: part.type, [part.type]: dataUrl(part) }));
  return {
    text,
    ...(media.length > 0 ? { media } : {}),
    ...(result.isError === true ? { isError: true } : {}),
  };
}

function textOf(part: Part): string {
  switch (part.type) {
    case "text":
      return String(part.text);
    case "image":
    case "audio":
      return `[${part.type}, ${part.mimeType}, ${bytesOf(part.data)} bytes: not shown]`;
    case "resource": {
      const { text, uri, blob } = part.resource as { text?: unknown; uri?: unknown; blob?: unknown };
      return typeof text === "string" ? text : `[resource ${uri}, ${bytesOf(blob)} bytes: not shown]`;
    }
    case "resource_link":
      return `[resource ${part.uri}: not shown]`;
    default:
      return `[${part.type}: not shown]`;
  }
}

const bytesOf = (base64: unknown) => Buffer.byteLength(String(base64), "base64");
const dataUrl = ({ mimeType, data }: Part) => `data:${mimeType};base64,${data}`;
