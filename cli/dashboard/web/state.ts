/** What the page shows; it stands behind # in the address, so that it can be kept and passed on. */
export class State {
  #values: URLSearchParams;
  readonly #listeners = new Set<(changed: ReadonlySet<string>) => void>();

  constructor(
    hash: string,
    private readonly write: (hash: string) => void,
  ) {
    this.#values = new URLSearchParams(hash.replace(/^#/, ""));
  }

  get(name: string, otherwise = ""): string {
    return this.#values.get(name) ?? otherwise;
  }

  list(name: string): string[] {
    return this.get(name).split(",").filter(Boolean);
  }

  number(name: string, otherwise: number): number {
    const value = Number(this.get(name) || "x");
    return Number.isFinite(value) ? value : otherwise;
  }

  /** Empty texts take a value away. */
  set(changes: Readonly<Record<string, string>>): void {
    const changed = new Set<string>();
    for (const [name, value] of Object.entries(changes)) {
      if (this.get(name) === value) continue;
      changed.add(name);
      if (value === "") this.#values.delete(name);
      else this.#values.set(name, value);
    }
    if (changed.size === 0) return;
    this.write(`#${this.#values}`);
    for (const listener of this.#listeners) listener(changed);
  }

  /** The address was changed from outside. */
  replace(hash: string): void {
    const next = new URLSearchParams(hash.replace(/^#/, ""));
    if (String(next) === String(this.#values)) return;
    const changed = new Set([...this.#values.keys(), ...next.keys()]);
    this.#values = next;
    for (const listener of this.#listeners) listener(changed);
  }

  onChange(listener: (changed: ReadonlySet<string>) => void): void {
    this.#listeners.add(listener);
  }
}
