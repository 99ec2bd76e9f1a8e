const lossy = new TextDecoder("utf-8", { ignoreBOM: true });
const strict = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });

/** Every longest part that begins no character becomes U+FFFD; a byte order mark is kept. */
export function decodeUtf8(bytes: Uint8Array): string {
  return lossy.decode(bytes);
}

/** Null for what is not UTF-8. */
export function decodeStrictUtf8(bytes: Uint8Array): string | null {
  try {
    return strict.decode(bytes);
  } catch {
    return null;
  }
}

/** How many bytes at the end begin a character that further bytes may complete: 0 to 3. */
export function unfinishedTail(bytes: Uint8Array): number {
  for (let length = 1; length <= Math.min(3, bytes.length); length++) {
    const at = bytes.length - length;
    const lead = bytes[at];
    if (lead < 0x80) return 0;
    if (lead < 0xc0) continue;
    const wanted = lead < 0xc2 || lead > 0xf4 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    return length < wanted && (length === 1 || validSecond(lead, bytes[at + 1])) ? length : 0;
  }
  return 0;
}

/** Overlong forms, surrogates and what lies beyond U+10FFFF are told by the second byte. */
function validSecond(lead: number, second: number): boolean {
  if (lead === 0xe0) return second >= 0xa0;
  if (lead === 0xed) return second < 0xa0;
  if (lead === 0xf0) return second >= 0x90;
  if (lead === 0xf4) return second < 0x90;
  return true;
}
