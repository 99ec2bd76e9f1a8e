interface Reader<T> {
  resolve(result: IteratorResult<T, undefined>): void;
  reject(reason: unknown): void;
}

/**
 * One stream for several readers in lockstep: an item goes to every reader before the next one is pulled, because the
 * source may reuse its memory, and nobody learns that the stream has ended before everybody has read all of it. A failure
 * of the source or of one reader fails every reader and closes the source.
 */
export class LockstepBroadcast<T> {
  readonly #source: AsyncIterator<T>;
  readonly #count: number;
  readonly #waiting = new Map<number, Reader<T>>();
  #failure: { readonly reason: unknown } | null = null;
  #ended = false;

  constructor(source: AsyncIterable<T>, count: number) {
    this.#source = source[Symbol.asyncIterator]();
    this.#count = count;
  }

  /** Every reader was told that the stream has ended. */
  get ended(): boolean {
    return this.#ended;
  }

  /** What ended the broadcast early. */
  get failure(): { readonly reason: unknown } | null {
    return this.#failure;
  }

  /** The stream of one reader, single use. Leaving it before its end fails the broadcast. */
  reader(id: number): AsyncIterableIterator<T, undefined> {
    const next = (): Promise<IteratorResult<T, undefined>> => {
      if (this.#failure) return Promise.reject(this.#failure.reason);
      if (this.#ended) return Promise.resolve({ done: true, value: undefined });
      return new Promise((resolve, reject) => {
        this.#waiting.set(id, { resolve, reject });
        if (this.#waiting.size === this.#count) void this.#advance();
      });
    };
    return {
      next,
      return: async () => {
        this.fail(new Error(`reader ${id} left the stream before its end`));
        return { done: true, value: undefined };
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  /** No effect once the stream has ended or failed. */
  fail(reason: unknown): void {
    if (this.#failure || this.#ended) return;
    this.#failure = { reason };
    this.#settle((reader) => reader.reject(reason));
    // The source's own complaint about being closed would only hide the reason.
    Promise.resolve(this.#source.return?.()).catch(() => {});
  }

  async #advance(): Promise<void> {
    try {
      const item = await this.#source.next();
      if (this.#failure) return;
      if (item.done) {
        this.#ended = true;
        this.#settle((reader) => reader.resolve({ done: true, value: undefined }));
      } else {
        this.#settle((reader) => reader.resolve({ done: false, value: item.value }));
      }
    } catch (error) {
      this.fail(error);
    }
  }

  #settle(how: (reader: Reader<T>) => void): void {
    const readers = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const reader of readers) how(reader);
  }
}
