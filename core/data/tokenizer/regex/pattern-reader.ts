/** A cursor over the text of a pattern. */
export class PatternReader {
  private at = 0;

  constructor(private readonly text: string) {}

  get done(): boolean {
    return this.at >= this.text.length;
  }

  sees(text: string): boolean {
    return this.text.startsWith(text, this.at);
  }

  take(text: string): boolean {
    if (!this.sees(text)) return false;
    this.at += text.length;
    return true;
  }

  /** @param pattern sticky. */
  takeMatch(pattern: RegExp): RegExpMatchArray | null {
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.text);
    if (match) this.at += match[0].length;
    return match;
  }

  /** The next character, which must be there. */
  next(): string {
    const character = String.fromCodePoint(this.text.codePointAt(this.at) as number);
    this.at += character.length;
    return character;
  }

  rest(length: number): string {
    return this.text.slice(this.at, this.at + length);
  }
}
