import { hasText } from "./image-size.js";

/**
 * Whether an image file ends before its picture does, as one does whose download broke off. Only the structure is looked at, nothing
 * is decoded: a file that is damaged inside is the processor's to refuse.
 */
export function isCutOff(bytes: Uint8Array, mimeType: string): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (mimeType === "image/png") return !hasLastChunk(bytes, view);
  if (mimeType === "image/jpeg") return !hasEndMarker(bytes, view);
  if (mimeType === "image/gif") return !hasFirstPicture(bytes);
  if (mimeType === "image/webp") return view.getUint32(4, true) + 8 > bytes.byteLength;
  return false;
}

function hasLastChunk(bytes: Uint8Array, view: DataView): boolean {
  for (let at = 8; at + 12 <= bytes.length; at += 12 + view.getUint32(at)) {
    if (hasText(bytes, at + 4, "IEND")) return true;
  }
  return false;
}

/** Behind the beginning of the picture: thumbnails in the segments before it have end markers of their own. */
function hasEndMarker(bytes: Uint8Array, view: DataView): boolean {
  for (let at = 2; at + 4 <= bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes[at + 1];
    if (marker === 0xda) return Buffer.from(bytes.buffer, bytes.byteOffset + at, bytes.length - at).includes(END);
    const isBare = marker === 0xff || marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
    at += marker === 0xff ? 1 : isBare ? 2 : 2 + Math.max(2, view.getUint16(at + 2));
  }
  return false;
}

const END = Buffer.from([0xff, 0xd9]);

/** Viewers do without the trailer, and without later pictures of an animation. */
function hasFirstPicture(bytes: Uint8Array): boolean {
  const tableOf = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  let at = 13 + tableOf(bytes[10]);
  /** Blocks with their lengths, up to an empty one; false where the file ends before. */
  const passBlocks = (): boolean => {
    while (at < bytes.length && bytes[at] !== 0) at += 1 + bytes[at];
    return ++at <= bytes.length;
  };
  while (at < bytes.length) {
    if (bytes[at] === 0x2c) {
      at += 11 + tableOf(bytes[at + 9]);
      return passBlocks();
    }
    if (bytes[at] !== 0x21) return false;
    at += 2;
    if (!passBlocks()) return false;
  }
  return false;
}
