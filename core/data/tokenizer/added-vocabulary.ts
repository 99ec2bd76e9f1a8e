import type { Normalizer } from "./normalizers/normalizer.js";
import { type Piece, slicePiece } from "./piece.js";
import { TokenTrie } from "./token-trie.js";
import { spaceEnd, spaceStart } from "./unicode/characters.js";
import { isWord } from "./unicode/words.js";

/** A token that is found in the text before the model sees it. */
export interface AddedToken {
  readonly id: number;
  readonly content: string;
  /** Found only where no word character touches it. */
  readonly singleWord: boolean;
  /** Takes the white space on its left, or right. */
  readonly lstrip: boolean;
  readonly rstrip: boolean;
  /** Looked for in the normalised text, in its own normalised form. */
  readonly normalized: boolean;
  /** Left out of decoded texts on request. */
  readonly special: boolean;
}

/** A piece of text, or a token that was found. */
export type Found = Piece | { readonly id: number };

export interface AddedVocabularyOptions {
  readonly normalizer: Normalizer | null;
  /** Special tokens in texts are split like any text (`split_special_tokens`). */
  readonly splitSpecialTokens: boolean;
}

/** The tokens that stand beside the model's, and how they are found in texts. */
export class AddedVocabulary {
  private readonly byId = new Map<number, AddedToken>();
  private readonly byContent = new Map<string, AddedToken>();
  /** Normalised forms that differ from the content. */
  private readonly forms = new Map<number, string>();
  private readonly specialContents = new Set<string>();
  private readonly plain: TokenTrie | null;
  private readonly normalized: TokenTrie | null;

  constructor(
    tokens: readonly AddedToken[],
    private readonly options: AddedVocabularyOptions,
  ) {
    for (const token of tokens) {
      this.byId.set(token.id, token);
      this.byContent.set(token.content, token);
      if (token.special) this.specialContents.add(token.content);
      if (!token.normalized || !options.normalizer) continue;
      const form = options.normalizer.normalize(wholeInput(token.content)).text;
      if (form !== token.content) this.forms.set(token.id, form);
    }
    this.plain = this.trie(false);
    this.normalized = this.trie(true);
  }

  get tokens(): Iterable<AddedToken> {
    return this.byId.values();
  }

  idOf(content: string): number | undefined {
    return this.byContent.get(content)?.id;
  }

  contentOf(id: number): string | undefined {
    return this.byId.get(id)?.content;
  }

  /** What decoding gets: the form in which the token stands in normalised texts. */
  textOf(id: number): string | undefined {
    return this.forms.get(id) ?? this.byId.get(id)?.content;
  }

  /** Whether decoding leaves a token text out on request. */
  isSpecial(text: string): boolean {
    return this.specialContents.has(text);
  }

  /** Cut the tokens out of an input and normalise what lies between them. */
  extract(text: string): Found[] {
    const { normalizer } = this.options;
    return this.cut(wholeInput(text), this.plain).flatMap((found) => {
      if ("id" in found) return [found];
      return this.cut(normalizer ? normalizer.normalize(found) : found, this.normalized);
    });
  }

  private trie(normalized: boolean): TokenTrie | null {
    const tokens = [...this.byId.values()].filter((token) => token.normalized === normalized);
    if (tokens.length === 0) return null;
    const trie = new TokenTrie();
    for (const { id, content } of tokens) trie.add(this.forms.get(id) ?? content, id);
    return trie;
  }

  /** The longest token at the leftmost place, then on from its end. */
  private cut(piece: Piece, trie: TokenTrie | null): Found[] {
    const { text } = piece;
    const found: Found[] = [];
    const keep = (start: number, end: number) => {
      if (start < end) found.push(slicePiece(piece, start, end));
    };
    let done = 0;
    for (let at = 0; trie && at < text.length; ) {
      const match = longestAt(trie, text, at);
      if (!match) {
        at++;
        continue;
      }
      const token = this.byId.get(match.id) as AddedToken;
      const bounds = this.accept(token, text, at, match.end, done);
      at = match.end;
      if (!bounds) continue;
      keep(done, bounds.start);
      found.push({ id: token.id });
      done = bounds.end;
    }
    keep(done, text.length);
    return found;
  }

  /** Where the token starts and ends with the white space that it takes; null when it does not count here. */
  private accept(token: AddedToken, text: string, start: number, end: number, done: number) {
    if (this.options.splitSpecialTokens && this.specialContents.has(token.content)) return null;
    if (token.singleWord && (isWord(text, start - 1) || isWord(text, end))) return null;
    return {
      start: token.lstrip ? Math.max(spaceStart(text, start), done) : start,
      end: token.rstrip ? spaceEnd(text, end) : end,
    };
  }
}

/** The first character of the input is where the input begins. */
function wholeInput(text: string): Piece {
  return { text, origin: text === "" ? 0 : (text.codePointAt(0) as number) > 0xffff ? 2 : 1 };
}

function longestAt(trie: TokenTrie, text: string, start: number): { id: number; end: number } | null {
  let longest = null;
  for (let end = start, node = 0; end < text.length; ) {
    node = trie.child(node, text.charCodeAt(end++));
    if (node < 0) break;
    const id = trie.idAt(node);
    if (id >= 0) longest = { id, end };
  }
  return longest;
}
