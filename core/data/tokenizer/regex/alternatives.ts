import { TokenTrie } from "../token-trie.js";
import type { Match, Pattern } from "./pattern.js";

/** Texts without any syntax but escaped punctuation, divided by bars. */
const PLAIN = /^(?:[^\\^$.*+?()[\]{}|]|\\[^\p{L}\p{N}])+(?:\|(?:[^\\^$.*+?()[\]{}|]|\\[^\p{L}\p{N}])+)*$/u;

/**
 * A pattern that is nothing but alternative texts, as files list the pieces that are to stay whole, hundreds of them at times: a trie
 * finds them without trying each. Null for any other pattern.
 */
export function alternativesPattern(pattern: string): Pattern | null {
  if (!pattern.includes("|") || !PLAIN.test(pattern)) return null;
  const texts = pattern.match(/(?:\\[\s\S]|[^|])+/gu) as string[];
  return new AlternativesPattern(texts.map((text) => text.replace(/\\([\s\S])/gu, "$1")));
}

class AlternativesPattern implements Pattern {
  private readonly trie = new TokenTrie();

  constructor(texts: readonly string[]) {
    // Of equal texts the first one counts.
    for (let i = texts.length - 1; i >= 0; i--) this.trie.add(texts[i], i);
  }

  matches(text: string): Match[] {
    const found: Match[] = [];
    for (let at = 0; at < text.length; ) {
      const end = this.endOfFirst(text, at);
      if (end > at) found.push([at, end]);
      at = Math.max(end, at + 1);
    }
    return found;
  }

  /** Where the first of the alternatives ends that matches at a place; the place itself when none does. */
  private endOfFirst(text: string, start: number): number {
    let first = Infinity;
    let found = start;
    for (let end = start, node = 0; end < text.length; ) {
      node = this.trie.child(node, text.charCodeAt(end++));
      if (node < 0) break;
      const index = this.trie.idAt(node);
      if (index < 0 || index >= first) continue;
      first = index;
      found = end;
    }
    return found;
  }
}
