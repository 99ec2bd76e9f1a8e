import type { JsonNode } from "../json-node.js";
import type { Model, Vocabulary } from "./model.js";
import { notEncodable } from "./unknown.js";
import { readVocabulary } from "./vocabulary.js";

/** WordPiece as in BERT (https://arxiv.org/abs/1810.04805): the longest token first, again and again; all or unknown. */
export class WordPiece implements Model {
  readonly vocabulary: Vocabulary;
  private readonly unknownToken: string;
  private readonly prefix: string;
  /** Words with more characters are unknown. */
  private readonly maxCharacters: number;
  /** UTF-16 units of the longest token. */
  private readonly longest: number;

  constructor(node: JsonNode) {
    this.vocabulary = readVocabulary(node.at("vocab"));
    this.unknownToken = node.at("unk_token").text();
    this.prefix = node.at("continuing_subword_prefix").text();
    this.maxCharacters = node.at("max_input_chars_per_word").count();
    let longest = 0;
    for (const id of this.vocabulary.ids()) longest = Math.max(longest, this.vocabulary.tokenOf(id)?.length ?? 0);
    this.longest = longest;
  }

  encode(piece: string, ids: number[]): void {
    const found = [...piece].length > this.maxCharacters ? null : this.tokens(piece);
    if (found) {
      for (const id of found) ids.push(id);
      return;
    }
    const unknown = this.vocabulary.idOf(this.unknownToken);
    if (unknown === undefined) throw notEncodable(piece);
    ids.push(unknown);
  }

  private tokens(piece: string): number[] | null {
    const ids: number[] = [];
    for (let start = 0; start < piece.length; ) {
      const prefix = start > 0 ? this.prefix : "";
      let end = Math.min(piece.length, start + this.longest);
      let id: number | undefined;
      for (; end > start; end--) {
        id = this.vocabulary.idOf(prefix + piece.slice(start, end));
        if (id !== undefined) break;
      }
      if (id === undefined) return null;
      ids.push(id);
      start = end;
    }
    return ids;
  }
}
