/** A trie over UTF-16 units in flat arrays, for finding every token that starts at a place. */
export class TokenTrie {
  private mask = 1023;
  private nodes = new Int32Array(1024).fill(-1);
  private units = new Uint16Array(1024);
  private children = new Int32Array(1024);
  private edges = 0;
  /** Id of the token that ends at a node, or −1. */
  private readonly ids: number[] = [-1];

  /** A later token of the same text replaces an earlier one. */
  add(token: string, id: number): void {
    let node = 0;
    for (let i = 0; i < token.length; i++) node = this.childToBe(node, token.charCodeAt(i));
    this.ids[node] = id;
  }

  /** The node that a unit leads to, or −1. The root is 0. */
  child(node: number, unit: number): number {
    const slot = this.slot(node, unit);
    return this.nodes[slot] === -1 ? -1 : this.children[slot];
  }

  /** The token that ends at a node, or −1. */
  idAt(node: number): number {
    return this.ids[node];
  }

  private childToBe(node: number, unit: number): number {
    const slot = this.slot(node, unit);
    if (this.nodes[slot] !== -1) return this.children[slot];
    const child = this.ids.push(-1) - 1;
    this.put(slot, node, unit, child);
    if (2 * ++this.edges > this.mask) this.grow();
    return child;
  }

  private put(slot: number, node: number, unit: number, child: number): void {
    this.nodes[slot] = node;
    this.units[slot] = unit;
    this.children[slot] = child;
  }

  private slot(node: number, unit: number): number {
    let hash = Math.imul(node, 0x9e3779b1) ^ Math.imul(unit, 0x85ebca6b);
    hash ^= hash >>> 15;
    let slot = hash & this.mask;
    while (this.nodes[slot] !== -1 && (this.nodes[slot] !== node || this.units[slot] !== unit)) {
      slot = (slot + 1) & this.mask;
    }
    return slot;
  }

  private grow(): void {
    const { nodes, units, children } = this;
    const slots = 2 * nodes.length;
    this.mask = slots - 1;
    this.nodes = new Int32Array(slots).fill(-1);
    this.units = new Uint16Array(slots);
    this.children = new Int32Array(slots);
    for (let i = 0; i < nodes.length; i++) {
      if (nodes[i] !== -1) this.put(this.slot(nodes[i], units[i]), nodes[i], units[i], children[i]);
    }
  }
}
