import type { JsonNode } from "../json-node.js";
import { graphemeEnds } from "../unicode/graphemes.js";
import type { Normalizer } from "./normalizer.js";

/** Clusters of up to this many bytes are looked up as a whole. */
const WHOLE_CLUSTER = 5;

/** `Precompiled`: SentencePiece's character map, a double-array trie over bytes with the texts that it points to. */
export function precompiledNormalizer(node: JsonNode): Normalizer {
  const map = new CharacterMap(node.at("precompiled_charsmap"));
  return {
    normalize: ({ text, origin }) => {
      const out = map.rewrite(text);
      // Where the first characters vanish, what follows takes their place.
      const first = out.length === 0 ? 0 : (out.codePointAt(0) as number) > 0xffff ? 2 : 1;
      return { text: out, origin: origin === 0 ? 0 : map.rewrite(text.slice(0, origin)).length || first };
    },
  };
}

class CharacterMap {
  private readonly units: Uint32Array;
  private readonly texts: Buffer;
  /** What was looked up before; null for no entry. */
  private readonly known = new Map<string, string | null>();

  constructor(node: JsonNode) {
    const encoded = node.text();
    const bytes = Buffer.from(encoded, "base64");
    const size = bytes.length < 4 ? 0 : bytes.readUInt32LE(0);
    if (size < 4 || size > bytes.length - 4 || /[^A-Za-z0-9+/=]/.test(encoded)) {
      throw node.invalid("the precompiled character map is damaged");
    }
    this.units = new Uint32Array(size >> 2);
    for (let i = 0; i < this.units.length; i++) this.units[i] = bytes.readUInt32LE(4 + 4 * i);
    this.texts = bytes.subarray(4 + 4 * this.units.length);
  }

  /**
   * SentencePiece's own rule: a short grapheme cluster that starts with an entry becomes that entry's text, whatever follows in
   * the cluster; otherwise each character is looked up by itself.
   */
  rewrite(text: string): string {
    let out = "";
    let start = 0;
    for (const end of graphemeEnds(text)) {
      const cluster = text.slice(start, end);
      out += this.rewriteCluster(cluster);
      start = end;
    }
    return out;
  }

  private rewriteCluster(cluster: string): string {
    const whole = cluster.length <= WHOLE_CLUSTER ? this.lookUp(cluster) : null;
    if (whole !== null) return whole;
    if (cluster.length === 1) return cluster;
    let out = "";
    for (const character of cluster) out += this.lookUp(character) ?? character;
    return out;
  }

  private lookUp(text: string): string | null {
    let found = this.known.get(text);
    if (found === undefined) {
      const bytes = Buffer.from(text);
      found = bytes.length <= WHOLE_CLUSTER ? this.shortestPrefix(bytes) : null;
      this.known.set(text, found);
    }
    return found;
  }

  private shortestPrefix(bytes: Buffer): string | null {
    const { units } = this;
    let at = offsetOf(units[0]);
    for (const byte of bytes) {
      if (byte === 0) return null;
      at ^= byte;
      const unit = units[at];
      if (unit === undefined || (unit & 0x800000ff) >>> 0 !== byte) return null;
      at ^= offsetOf(unit);
      if ((unit >>> 8) & 1) return this.textAt(units[at] & 0x7fffffff);
    }
    return null;
  }

  private textAt(start: number): string {
    const end = this.texts.indexOf(0, start);
    return this.texts.toString("utf8", start, end < 0 ? this.texts.length : end);
  }
}

function offsetOf(unit: number): number {
  return (unit >>> 10) << ((unit & (1 << 9)) >>> 6);
}
