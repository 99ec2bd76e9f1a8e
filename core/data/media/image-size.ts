/** An image format that is read here, with the size that the header of the file says. */
export interface ImageHeader {
  readonly mimeType: string;
  /** Pixels; 0 where the header has none that could be found. */
  readonly width: number;
  readonly height: number;
}

/** Type and size of a PNG, JPEG, GIF or WebP file, from its header alone; null for anything else. */
export function imageHeader(bytes: Uint8Array): ImageHeader | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (hasText(bytes, 0, "\x89PNG\r\n\x1a\n")) return png(bytes, view);
  if (bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return jpeg(bytes, view);
  if (hasText(bytes, 0, "GIF87a") || hasText(bytes, 0, "GIF89a")) return gif(view);
  if (hasText(bytes, 0, "RIFF") && hasText(bytes, 8, "WEBP")) return webp(bytes, view);
  return null;
}

/** Whether these characters, one a byte, stand at a place. */
export function hasText(bytes: Uint8Array, at: number, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return false;
  return true;
}

const unknownSize = (mimeType: string): ImageHeader => ({ mimeType, width: 0, height: 0 });

function png(bytes: Uint8Array, view: DataView): ImageHeader {
  const mimeType = "image/png";
  if (view.byteLength < 24 || !hasText(bytes, 12, "IHDR")) return unknownSize(mimeType);
  return { mimeType, width: view.getUint32(16), height: view.getUint32(20) };
}

function gif(view: DataView): ImageHeader {
  const mimeType = "image/gif";
  if (view.byteLength < 10) return unknownSize(mimeType);
  return { mimeType, width: view.getUint16(6, true), height: view.getUint16(8, true) };
}

/** Markers without a segment behind them: TEM, RST0 to RST7, SOI. */
const isBare = (marker: number) => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
/** Frame headers SOF0 to SOF15; DHT, JPG and DAC share their range. */
const isFrame = (marker: number) =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

/** Segments are passed over until one describes the frame: thumbnails inside of others are not looked at. */
function jpeg(bytes: Uint8Array, view: DataView): ImageHeader {
  const mimeType = "image/jpeg";
  let at = 2;
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1];
    if (marker === 0xff) {
      // Fill bytes, as many as there are.
      while (bytes[at + 1] === 0xff) at++;
    } else if (isBare(marker)) at += 2;
    else if (isFrame(marker)) return { mimeType, width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    // The picture itself, or its end, without a frame before it.
    else if (marker === 0xda || marker === 0xd9) break;
    else at += 2 + Math.max(2, view.getUint16(at + 2));
  }
  return unknownSize(mimeType);
}

function webp(bytes: Uint8Array, view: DataView): ImageHeader {
  const mimeType = "image/webp";
  if (view.byteLength < 30) return unknownSize(mimeType);
  const uint24 = (at: number) => view.getUint16(at, true) + view.getUint8(at + 2) * 2 ** 16;
  if (hasText(bytes, 12, "VP8X")) return { mimeType, width: uint24(24) + 1, height: uint24(27) + 1 };
  if (hasText(bytes, 12, "VP8L") && view.getUint8(20) === 0x2f) {
    const bits = view.getUint32(21, true);
    return { mimeType, width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (hasText(bytes, 12, "VP8 ") && hasText(bytes, 23, "\x9d\x01\x2a")) {
    return { mimeType, width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
  }
  return unknownSize(mimeType);
}
