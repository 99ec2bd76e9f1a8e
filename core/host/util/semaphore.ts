/** Lets a fixed number of holders in at a time, in order of arrival. */
export class Semaphore {
  readonly #waiting = new Set<() => void>();
  #free: number;

  constructor(readonly permits: number) {
    if (!(permits >= 1)) throw new RangeError(`a semaphore needs at least one permit, not ${permits}`);
    this.#free = permits;
  }

  /** Resolves with the function that gives the permit back; calling it again does nothing. */
  async acquire(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else await this.#turn(signal);
    let held = true;
    return () => {
      if (held) this.#release();
      held = false;
    };
  }

  /** Permits that nobody holds. */
  get free(): number {
    return this.#free;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  #turn(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const admit = () => {
        signal?.removeEventListener("abort", abort);
        resolve();
      };
      const abort = () => {
        this.#waiting.delete(admit);
        reject(signal?.reason);
      };
      this.#waiting.add(admit);
      signal?.addEventListener("abort", abort, { once: true });
    });
  }

  #release(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free++;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
