import { fileURLToPath } from "node:url";
import { reasonOf } from "../../host/errors.js";
import { isObject } from "../../host/util/plain-object.js";
import { shown } from "../../host/util/shown.js";
import { idOfReference } from "./media.js";
import { isMedia } from "./media-format.js";

/** Where the bytes of a medium are. */
export type MediaSource =
  | { readonly bytes: Uint8Array }
  | { readonly path: string }
  /** Of one that was taken in before. */
  | { readonly id: string };

const DATA_URL = /^data:[^,;]*(?:;[^,;]*)*?(;base64)?,/i;
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;
/** Shorter texts are names of files. */
const SHORTEST_BASE64 = 64;
/** Objects inside each other, such as `{image_url: {url}}`. */
const MAX_DEPTH = 4;

/**
 * What a data set, a tool or a client gives as a medium: bytes, a data URL, base64, a path, a reference, or an object around one of
 * these (`{bytes, path}` of Hugging Face's data sets, `{url}` of OpenAI's parts, `{data}`). Addresses in the network are not read.
 */
export function mediaSource(value: unknown, depth = 0): MediaSource | { readonly problem: string } {
  if (value instanceof Uint8Array) return { bytes: value };
  if (value instanceof ArrayBuffer) return { bytes: new Uint8Array(value) };
  if (typeof value === "string") return fromText(value);
  if (value == null) return { problem: "it names nothing" };
  if (!isObject(value) || depth >= MAX_DEPTH) return { problem: `${shown(value)} is no medium` };
  const { bytes, path } = value;
  if (bytes != null) return fromBytes(bytes);
  if (typeof path === "string" && path !== "") return fromText(path);
  for (const name of ["image", "video", "audio", "image_url", "video_url", "audio_url", "input_audio", "url", "data"]) {
    if (value[name] != null) return mediaSource(value[name], depth + 1);
  }
  return { problem: `an object with ${Object.keys(value).join(", ") || "no members"} is no medium` };
}

function fromText(text: string): MediaSource | { readonly problem: string } {
  const id = idOfReference(text);
  if (id !== null) return { id };
  if (/^data:/i.test(text)) return fromDataUrl(text);
  if (/^file:/i.test(text)) return fromFileUrl(text);
  if (/^(?:https?:|[a-z][a-z0-9+.-]*:\/\/)/i.test(text)) {
    return { problem: `${shown(text)} is an address in the network, and nothing is fetched from there` };
  }
  if (text.length >= SHORTEST_BASE64) {
    const bytes = fromBase64(text);
    if (bytes && isMedia(bytes)) return { bytes };
  }
  if (text === "" || text.includes("\0")) return { problem: `${shown(text)} is no path` };
  return { path: text };
}

function fromDataUrl(text: string): MediaSource | { readonly problem: string } {
  const head = DATA_URL.exec(text.slice(0, 1024));
  if (!head) return { problem: "the data URL has no comma after its type" };
  const body = text.slice(head[0].length);
  if (body.trim() === "") return { problem: "the data URL is empty" };
  if (head[1]) {
    const bytes = fromBase64(body);
    return bytes ? { bytes } : { problem: "the data URL holds no base64" };
  }
  const raw = body.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return { bytes: Buffer.from(raw, "latin1") };
}

function fromFileUrl(text: string): MediaSource | { readonly problem: string } {
  try {
    return { path: fileURLToPath(text) };
  } catch (error) {
    return { problem: `${shown(text)} names no file: ${reasonOf(error)}` };
  }
}

/** Bytes of a column: as they are, as base64, or, where they happened to be UTF-8, as their text. */
function fromBytes(value: unknown): MediaSource | { readonly problem: string } {
  if (value instanceof Uint8Array) return { bytes: value };
  if (typeof value !== "string") return { problem: `bytes are ${shown(value)}` };
  const bytes = fromBase64(value);
  return { bytes: bytes && isMedia(bytes) ? bytes : Buffer.from(value, "utf8") };
}

function fromBase64(text: string): Uint8Array | null {
  const compact = /\s/.test(text) ? text.replaceAll(/\s+/g, "") : text;
  return BASE64.test(compact) && compact.replace(/=+$/, "").length % 4 !== 1 ? Buffer.from(compact, "base64") : null;
}
