import { isCutOff } from "./cut-off.js";
import { hasText, imageHeader } from "./image-size.js";
import { MEDIA_KINDS, type MediaKind, type MediaRef } from "./media.js";

/** Bytes of one medium. */
export const MAX_MEDIA_BYTES = 256 * 2 ** 20;
/** Pixels of an image: what decodes it would take several bytes for each. */
export const MAX_PIXELS = 100_000_000;

/** What is known of a medium from the beginning of its bytes, or why it cannot be used. */
export type MediaFormat = Pick<MediaRef, "mimeType" | "width" | "height"> | { readonly problem: string };

/** Names, media types and kinds of what is recognised, for messages and for the docs. */
const CONTAINERS: readonly (readonly [
  matches: (bytes: Uint8Array) => boolean,
  subtype: string,
  kinds: readonly MediaKind[],
])[] = [
  [(b) => hasText(b, 0, "RIFF") && hasText(b, 8, "WAVE"), "wav", ["audio"]],
  [(b) => hasText(b, 0, "fLaC"), "flac", ["audio"]],
  [(b) => hasText(b, 0, "ID3") || (b[0] === 0xff && (b[1] & 0xe6) > 0xe0), "mpeg", ["audio"]],
  [(b) => hasText(b, 0, "OggS"), "ogg", ["audio", "video"]],
  [(b) => hasText(b, 4, "ftypM4A"), "mp4", ["audio"]],
  [(b) => hasText(b, 4, "ftyp") && !hasText(b, 8, "avi") && !hasText(b, 8, "hei"), "mp4", ["video", "audio"]],
  [(b) => hasText(b, 0, "\x1a\x45\xdf\xa3"), "webm", ["video", "audio"]],
  [(b) => hasText(b, 0, "RIFF") && hasText(b, 8, "AVI "), "x-msvideo", ["video"]],
];

const KNOWN: Readonly<Record<MediaKind, string>> = {
  image: "PNG, JPEG, GIF and WebP",
  video: "MP4, WebM, Matroska, Ogg and AVI",
  audio: "WAV, FLAC, MP3, Ogg, MP4 and WebM",
};

/** The format of a medium of this kind, by its bytes: neither a name nor a declared type is believed. */
export function mediaFormat(bytes: Uint8Array, kind: MediaKind): MediaFormat {
  if (bytes.byteLength === 0) return { problem: "it is empty" };
  if (bytes.byteLength > MAX_MEDIA_BYTES) {
    return { problem: `it has ${bytes.byteLength} bytes, more than ${MAX_MEDIA_BYTES}` };
  }
  const image = imageHeader(bytes);
  if (kind === "image" && image) {
    const { width, height } = image;
    if (width === 0 || height === 0) return { problem: `the header of the ${image.mimeType} says no size` };
    if (width * height > MAX_PIXELS) {
      return { problem: `it has ${width} x ${height} pixels, more than ${MAX_PIXELS}` };
    }
    if (isCutOff(bytes, image.mimeType)) {
      return {
        problem: `the ${image.mimeType} of ${bytes.byteLength} bytes ends before its picture does: it was cut off`,
      };
    }
    return image;
  }
  const container = image ? undefined : CONTAINERS.find(([matches]) => matches(bytes));
  if (container?.[2].includes(kind)) return { mimeType: `${kind}/${container[1]}` };
  const found = image?.mimeType ?? (container && `${container[2][0]}/${container[1]}`);
  return { problem: `it is ${found ?? "in no known format"}; of the kind ${kind}, ${KNOWN[kind]} are read` };
}

/** Whether these are the bytes of any medium. */
export function isMedia(bytes: Uint8Array): boolean {
  return MEDIA_KINDS.some((kind) => !("problem" in mediaFormat(bytes, kind)));
}
