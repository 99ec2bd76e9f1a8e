import { shown } from "../../../host/util/shown.js";
import type { JsonNode } from "../json-node.js";
import { MergeQueue } from "./merge-queue.js";
import type { Vocabulary } from "./model.js";
import { PairTable } from "./pair-table.js";

/** The merges of a BPE model: which neighbours become one token, in order of rank. */
export class BpeMerges {
  private readonly ranks: PairTable;
  private readonly results: Int32Array;

  /** @param node list of pairs, or of texts `"a b"`. */
  constructor(node: JsonNode, vocabulary: Vocabulary, continuingPrefix: string) {
    const items = node.items();
    this.ranks = new PairTable(items.length);
    this.results = new Int32Array(items.length);
    // In the older form a first line may name the version.
    const merges = items.filter(({ value }) => typeof value !== "string" || !value.startsWith("#version"));
    merges.forEach((item, rank) => {
      const [left, right] = readPair(item);
      const result = left + withoutBytes(right, continuingPrefix);
      const [leftId, rightId, resultId] = [left, right, result].map((token) => {
        const id = vocabulary.idOf(token);
        if (id === undefined) throw item.invalid(`a merge needs ${shown(token)}, which is not in the vocabulary`);
        return id;
      });
      this.ranks.set(leftId, rightId, rank);
      this.results[rank] = resultId;
    });
  }

  /** Merge the symbols of a word until no merge applies. Takes n log n steps for n symbols. */
  apply(symbols: readonly number[]): number[] {
    const count = symbols.length;
    if (count < 2) return [...symbols];
    const ids = Int32Array.from(symbols);
    const next = Int32Array.from(symbols, (_, i) => i + 1);
    const previous = Int32Array.from(symbols, (_, i) => i - 1);
    const queue = new MergeQueue(count);
    const offer = (position: number) => {
      const rank = this.ranks.get(ids[position], ids[next[position]]);
      if (rank >= 0) queue.push(rank, position);
    };
    for (let i = 0; i + 1 < count; i++) offer(i);
    while (!queue.isEmpty) {
      const { rank, position } = queue.pop();
      const right = next[position];
      // The pair may have gone since; a taken symbol is −1.
      if (ids[position] < 0 || right >= count) continue;
      const now = this.ranks.get(ids[position], ids[right]);
      if (now < 0 || this.results[now] !== this.results[rank]) continue;
      ids[position] = this.results[rank];
      ids[right] = -1;
      next[position] = next[right];
      if (next[right] < count) previous[next[right]] = position;
      if (previous[position] >= 0) offer(previous[position]);
      if (next[position] < count) offer(position);
    }
    return Array.from(ids).filter((id) => id >= 0);
  }
}

function readPair(node: JsonNode): [string, string] {
  const parts = node.isList ? node.items().map((part) => part.text()) : node.text().split(" ");
  if (parts.length !== 2) throw node.invalid(`a merge has two parts, and ${shown(node.value)} has not`);
  return [parts[0], parts[1]];
}

/** As many bytes off the front as the prefix has, whether it is there or not. */
function withoutBytes(text: string, prefix: string): string {
  if (text.startsWith(prefix)) return text.slice(prefix.length);
  return Buffer.from(text).subarray(Buffer.byteLength(prefix)).toString();
}
