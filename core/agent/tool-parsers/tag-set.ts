/** Texts that are looked for together. Where several could match, the one listed first wins. */
export class TagSet {
  readonly tags: readonly string[];
  private readonly firstUnit: RegExp;

  constructor(tags: Iterable<string | undefined>) {
    this.tags = [...new Set(tags)].filter((tag): tag is string => tag !== undefined && tag !== "");
    const units = this.tags.map((tag) => `\\u${tag.charCodeAt(0).toString(16).padStart(4, "0")}`);
    this.firstUnit = new RegExp(units.length > 0 ? `[${units.join("")}]` : "(?!)", "g");
  }

  /** The first place, from `from` on, at which a tag may begin; the length of the text if there is none. */
  search(text: string, from: number): number {
    this.firstUnit.lastIndex = from;
    return this.firstUnit.exec(text)?.index ?? text.length;
  }

  /** The tag at this place, null if there is none, undefined while the rest of an incomplete text could decide it. */
  at(text: string, at: number, complete: boolean): string | null | undefined {
    for (const tag of this.tags) {
      if (text.startsWith(tag, at)) return tag;
      if (!complete && text.length - at < tag.length && tag.startsWith(text.slice(at))) return undefined;
    }
    return null;
  }

  /** The first tag of a complete text. */
  find(text: string, from: number): { readonly tag: string; readonly at: number } | null {
    for (let at = this.search(text, from); at < text.length; at = this.search(text, at + 1)) {
      const tag = this.at(text, at, true);
      if (tag) return { tag, at };
    }
    return null;
  }

  /** Whether a tag may begin with this UTF-16 unit. */
  mayBegin(unit: number): boolean {
    return this.tags.some((tag) => tag.charCodeAt(0) === unit);
  }

  /** Whether a tag begins with all of `text`. */
  startsWith(text: string): boolean {
    return this.tags.some((tag) => tag.startsWith(text));
  }
}
