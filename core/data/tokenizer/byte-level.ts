/**
 * Byte-level vocabularies write each byte as one printable character (GPT-2's table): bytes that are printable Latin-1
 * characters stand for themselves, the others are U+0100 onwards in order.
 */
const CHARACTERS: readonly string[] = characters();
const BYTES: ReadonlyMap<number, number> = new Map(
  CHARACTERS.map((character, byte) => [character.charCodeAt(0), byte]),
);

function characters(): string[] {
  let shifted = 0x100;
  return Array.from({ length: 256 }, (_, byte) => {
    const printable = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
    return String.fromCharCode(printable ? byte : shifted++);
  });
}

/** The bytes of a text in UTF-8, a character each. */
export function utf8Characters(text: string): string {
  let out = "";
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit > 0x7f) {
      for (const byte of Buffer.from(text.slice(i))) out += CHARACTERS[byte];
      return out;
    }
    out += CHARACTERS[unit];
  }
  return out;
}

/** The bytes of a token of a byte-level vocabulary. A token outside the alphabet, as added ones may be, is its own text. */
export function bytesOfToken(token: string): Uint8Array {
  const bytes = new Uint8Array(token.length);
  for (let i = 0; i < token.length; i++) {
    const byte = BYTES.get(token.charCodeAt(i));
    if (byte === undefined) return Buffer.from(token);
    bytes[i] = byte;
  }
  return bytes;
}
