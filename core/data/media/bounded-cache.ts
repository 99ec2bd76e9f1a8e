/** Values that can be made again, the most recently used ones up to a total size. */
export class BoundedCache<V> {
  readonly #values = new Map<string, V>();
  #size = 0;

  /** @param sizeOf  in the unit of `capacity` */
  constructor(
    private readonly capacity: number,
    private readonly sizeOf: (value: V) => number,
  ) {}

  get(key: string): V | undefined {
    const value = this.#values.get(key);
    if (value === undefined) return undefined;
    this.#values.delete(key);
    this.#values.set(key, value);
    return value;
  }

  /** A value that is too large by itself is not kept. */
  set(key: string, value: V): void {
    this.delete(key);
    this.#values.set(key, value);
    this.#size += this.sizeOf(value);
    for (const oldest of this.#values.keys()) {
      if (this.#size <= this.capacity) break;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    const value = this.#values.get(key);
    if (value === undefined) return;
    this.#values.delete(key);
    this.#size -= this.sizeOf(value);
  }
}
