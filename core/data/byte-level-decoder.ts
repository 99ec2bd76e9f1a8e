/**
 * Byte-level BPE writes each byte as one printable character (GPT-2's table): bytes that are printable Latin-1 characters
 * stand for themselves, the others are U+0100 onwards in order.
 */
const BYTE_OF_CHARACTER: ReadonlyMap<number, number> = new Map(
  Array.from({ length: 256 }, (_, byte) => byte).reduce<[number, number][]>((pairs, byte) => {
    const printable = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
    const shifted = pairs.filter(([code]) => code >= 0x100).length;
    pairs.push([printable ? byte : 0x100 + shifted, byte]);
    return pairs;
  }, []),
);

const utf8 = new TextEncoder();
const fromUtf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** Bytes of a token of a byte-level vocabulary. A token outside the alphabet, as added ones may be, is its own text. */
export function bytesOfToken(token: string): Uint8Array {
  const bytes = new Uint8Array(token.length);
  for (let i = 0; i < token.length; i++) {
    const byte = BYTE_OF_CHARACTER.get(token.charCodeAt(i));
    if (byte === undefined) return utf8.encode(token);
    bytes[i] = byte;
  }
  return bytes;
}

/** Join and decode; an invalid or unfinished sequence becomes U+FFFD as in Python, a byte order mark is kept. */
export function decodeBytes(parts: readonly Uint8Array[]): string {
  return fromUtf8.decode(Buffer.concat(parts));
}

/** Whether all 256 byte characters are in a vocabulary, so that every text can be encoded. */
export function coversAllBytes(has: (token: string) => boolean): boolean {
  return [...BYTE_OF_CHARACTER.keys()].every((code) => has(String.fromCharCode(code)));
}
