import type { FuzzReader } from "./fuzz-reader.js";
import type { Measured } from "./outcome.js";
import { WatchedChild } from "./watched-child.js";

/** Several watched processes; an input goes to one that is free. */
export class ChildPool {
  readonly #all: readonly WatchedChild[];
  readonly #free: WatchedChild[];
  readonly #waiting: ((child: WatchedChild) => void)[] = [];

  constructor(size: number) {
    this.#all = Array.from({ length: size }, () => new WatchedChild());
    this.#free = [...this.#all];
  }

  async run(reader: FuzzReader, input: Uint8Array): Promise<Measured> {
    const child = this.#free.pop() ?? (await new Promise<WatchedChild>((take) => this.#waiting.push(take)));
    try {
      return await child.run(reader, input);
    } finally {
      const next = this.#waiting.shift();
      if (next) next(child);
      else this.#free.push(child);
    }
  }

  close(): void {
    for (const child of this.#all) child.close();
  }
}
