import type { JsonNode } from "../json-node.js";
import { BpeMerges } from "./bpe-merges.js";
import type { Model, Vocabulary } from "./model.js";
import { bytesToIds, byteTokens, notEncodable } from "./unknown.js";
import { readVocabulary } from "./vocabulary.js";

/** Words of up to this many UTF-16 units are remembered, and so many of them. */
const REMEMBERED_LENGTH = 256;
const REMEMBERED_WORDS = 10_000;

/**
 * Byte-pair encoding (Sennrich et al., 2016, https://arxiv.org/abs/1508.07909): characters, then merges in order of rank.
 * `dropout` is for training a tokenizer's robustness and is not applied: encoding is deterministic here.
 */
export class Bpe implements Model {
  readonly vocabulary: Vocabulary;
  private readonly merges: BpeMerges;
  private readonly unknown: { readonly token: string; readonly id: number | undefined } | null;
  private readonly prefix: string;
  private readonly suffix: string;
  private readonly fuseUnknown: boolean;
  /** A piece that is a token as a whole is taken without merging. */
  private readonly ignoreMerges: boolean;
  private readonly bytes: readonly (number | undefined)[] | null;
  private readonly remembered = new Map<string, readonly number[]>();

  constructor(node: JsonNode) {
    const text = (name: string) => node.at(name).or(null, (field) => field.text());
    const flag = (name: string) => node.at(name).or(false, (field) => field.boolean());
    this.vocabulary = readVocabulary(node.at("vocab"));
    this.prefix = text("continuing_subword_prefix") ?? "";
    this.suffix = text("end_of_word_suffix") ?? "";
    this.merges = new BpeMerges(node.at("merges"), this.vocabulary, this.prefix);
    const unknown = text("unk_token");
    this.unknown = unknown === null ? null : { token: unknown, id: this.vocabulary.idOf(unknown) };
    this.fuseUnknown = flag("fuse_unk");
    this.ignoreMerges = flag("ignore_merges");
    this.bytes = flag("byte_fallback") ? byteTokens((token) => this.vocabulary.idOf(token)) : null;
  }

  encode(piece: string, ids: number[]): void {
    const whole = this.ignoreMerges ? this.vocabulary.idOf(piece) : undefined;
    if (whole !== undefined) {
      ids.push(whole);
      return;
    }
    let found = this.remembered.get(piece);
    if (!found) {
      found = this.merges.apply(this.symbols(piece));
      if (piece.length <= REMEMBERED_LENGTH && this.remembered.size < REMEMBERED_WORDS)
        this.remembered.set(piece, found);
    }
    for (const id of found) ids.push(id);
  }

  private symbols(piece: string): number[] {
    const symbols: number[] = [];
    let unknown: number | undefined;
    for (let i = 0; i < piece.length; ) {
      const end = i + ((piece.codePointAt(i) as number) > 0xffff ? 2 : 1);
      const symbol = (i > 0 ? this.prefix : "") + piece.slice(i, end) + (end === piece.length ? this.suffix : "");
      i = end;
      const id = this.vocabulary.idOf(symbol);
      const bytes = id === undefined && this.bytes ? bytesToIds(symbol, this.bytes) : null;
      if (bytes) {
        // An unknown character before the bytes keeps waiting, as in the reference.
        symbols.push(...bytes);
      } else if (id !== undefined) {
        if (unknown !== undefined) symbols.push(unknown);
        unknown = undefined;
        symbols.push(id);
      } else if (unknown === undefined || !this.fuseUnknown) {
        if (unknown !== undefined) symbols.push(unknown);
        unknown = this.unknownId(symbol);
      }
    }
    if (unknown !== undefined) symbols.push(unknown);
    return symbols;
  }

  private unknownId(symbol: string): number {
    if (this.unknown?.id === undefined) throw notEncodable(symbol);
    return this.unknown.id;
  }
}
