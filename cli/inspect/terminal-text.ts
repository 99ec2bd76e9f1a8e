/**
 * Text of models and data is hostile: on a terminal, control characters (escape sequences among them) and those that turn the
 * direction of writing are shown, not obeyed. Line feeds and tabs stay.
 */
export function printable(text: string): string {
  return text.replace(/(?![\n\t])[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, (char) => {
    const code = char.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return code === 0x7f ? "\u2421" : `\\u{${code.toString(16)}}`;
  });
}

/** One line of at most `width` characters: white space is folded, the end is cut. */
export function oneLine(text: string, width: number): string {
  const folded = printable(text).trim().replace(/\s+/g, " ");
  return folded.length <= width ? folded : `${folded.slice(0, width - 1)}…`;
}
