import type { JsonNode } from "../json-node.js";
import type { Model, Vocabulary } from "./model.js";
import { notEncodable } from "./unknown.js";
import { readVocabulary } from "./vocabulary.js";

/** A token for every word of the vocabulary, and one for all others. */
export class WordLevel implements Model {
  readonly vocabulary: Vocabulary;
  private readonly unknownToken: string;

  constructor(node: JsonNode) {
    this.vocabulary = readVocabulary(node.at("vocab"));
    this.unknownToken = node.at("unk_token").text();
  }

  encode(piece: string, ids: number[]): void {
    const id = this.vocabulary.idOf(piece) ?? this.vocabulary.idOf(this.unknownToken);
    if (id === undefined) throw notEncodable(piece);
    ids.push(id);
  }
}
