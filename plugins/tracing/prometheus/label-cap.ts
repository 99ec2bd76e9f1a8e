/** Values of one label: beyond so many distinct ones, further ones count as `other`. */
export class LabelCap {
  readonly #known = new Set<string>();

  constructor(private readonly most = 50) {}

  /** The value as a label, at most 100 characters of it. */
  of(value: unknown): string {
    const text = String(value ?? "unknown").slice(0, 100);
    if (this.#known.has(text)) return text;
    if (this.#known.size >= this.most) return "other";
    this.#known.add(text);
    return text;
  }
}
