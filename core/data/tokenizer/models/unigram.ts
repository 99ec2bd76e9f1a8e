import type { JsonNode } from "../json-node.js";
import { TokenTrie } from "../token-trie.js";
import type { Model, Vocabulary } from "./model.js";
import { bytesToIds, byteTokens, notEncodable } from "./unknown.js";

/** How much worse than the worst token an unknown character scores. */
const UNKNOWN_PENALTY = 10;

/**
 * A unigram language model over tokens (Kudo, 2018, https://arxiv.org/abs/1804.10959): of all ways to cut a piece the one with
 * the highest sum of scores, found by dynamic programming over a trie. Neighbouring unknown characters are one token.
 */
export class Unigram implements Model {
  readonly vocabulary: Vocabulary;
  private readonly scores: Float64Array;
  private readonly trie = new TokenTrie();
  private readonly unknownId: number | null;
  private readonly unknownScore: number;
  private readonly bytes: readonly (number | undefined)[] | null;

  constructor(node: JsonNode) {
    const tokens: string[] = [];
    const ids = new Map<string, number>();
    const items = node.at("vocab").items();
    this.scores = new Float64Array(items.length);
    items.forEach((item, id) => {
      const pair = item.items();
      if (pair.length !== 2) throw item.invalid("a token of a unigram model is a text with its score");
      tokens.push(pair[0].text());
      this.scores[id] = pair[1].number();
      // Of equal texts the last one counts.
      ids.set(tokens[id], id);
    });
    for (const [token, id] of ids) this.trie.add(token, id);
    this.vocabulary = {
      size: tokens.length,
      idOf: (token) => ids.get(token),
      tokenOf: (id) => tokens[id],
      ids: () => tokens.keys(),
    };
    this.unknownId = node.at("unk_id").or(null, (field) => field.id());
    if (this.unknownId !== null && this.unknownId >= tokens.length) {
      throw node.at("unk_id").invalid(`unk_id is ${this.unknownId}, and the vocabulary has ${tokens.length} tokens`);
    }
    this.unknownScore = this.scores.reduce((least, score) => Math.min(least, score), Infinity) - UNKNOWN_PENALTY;
    const fallsBack = node.at("byte_fallback").or(false, (field) => field.boolean());
    this.bytes = fallsBack ? byteTokens((token) => ids.get(token)) : null;
  }

  encode(piece: string, ids: number[]): void {
    for (const [start, end] of this.bestPath(piece)) {
      const token = piece.slice(start, end);
      const id = this.vocabulary.idOf(token);
      const bytes = id === undefined && this.bytes ? bytesToIds(token, this.bytes) : null;
      if (bytes) for (const byte of bytes) ids.push(byte);
      else ids.push(id ?? this.unknownFor(token));
    }
  }

  /** Starts and ends of the tokens; a run of unknown ones is joined. */
  private bestPath(piece: string): [number, number][] {
    const { trie, scores, unknownId, unknownScore } = this;
    const length = piece.length;
    const best = new Float64Array(length + 1);
    const startOf = new Int32Array(length + 1).fill(-1);
    const idOf = new Int32Array(length + 1);
    const improves = (start: number, end: number, score: number) => startOf[end] < 0 || score + best[start] > best[end];
    const accept = (start: number, end: number, score: number, id: number) => {
      best[end] = score + best[start];
      startOf[end] = start;
      idOf[end] = id;
    };
    for (let start = 0; start < length; ) {
      const next = start + ((piece.codePointAt(start) as number) > 0xffff ? 2 : 1);
      let known = false;
      for (let end = start, node = 0; end < length; ) {
        node = trie.child(node, piece.charCodeAt(end++));
        if (node < 0) break;
        const id = trie.idAt(node);
        if (id < 0) continue;
        if (improves(start, end, scores[id])) accept(start, end, scores[id], id);
        if (end === next) known = true;
      }
      if (!known && improves(start, next, unknownScore)) {
        if (unknownId === null) throw notEncodable(piece.slice(start, next));
        accept(start, next, unknownScore, unknownId);
      }
      start = next;
    }
    const path: [number, number][] = [];
    let unknownBefore = false;
    for (let end = length; end > 0; end = startOf[end]) {
      const isUnknown = idOf[end] === unknownId;
      const last = path.at(-1);
      if (last && isUnknown && unknownBefore) last[0] = startOf[end];
      else path.push([startOf[end], end]);
      unknownBefore = isUnknown;
    }
    return path.reverse();
  }

  private unknownFor(token: string): number {
    if (this.unknownId === null) throw notEncodable(token);
    return this.unknownId;
  }
}
