interface Waiter {
  readonly since: number;
  resolve(revision: number): void;
  reject(reason: unknown): void;
}

/** A counter that grows with every change, and promises that wait for it. No timers. */
export class ChangeSignal {
  #revision = 0;
  readonly #waiters = new Set<Waiter>();

  get revision(): number {
    return this.#revision;
  }

  bump(changes: number): void {
    this.#revision += changes;
    for (const waiter of this.#waiters) {
      if (this.#revision > waiter.since) {
        this.#waiters.delete(waiter);
        waiter.resolve(this.#revision);
      }
    }
  }

  /** Resolves with the current revision once it is greater than `since`. */
  wait(since: number, signal?: AbortSignal): Promise<number> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (this.#revision > since) return Promise.resolve(this.#revision);
    return new Promise((resolve, reject) => {
      const abort = () => {
        this.#waiters.delete(waiter);
        reject(signal?.reason);
      };
      const settled = () => signal?.removeEventListener("abort", abort);
      const waiter: Waiter = {
        since,
        resolve(revision) {
          settled();
          resolve(revision);
        },
        reject(reason) {
          settled();
          reject(reason);
        },
      };
      signal?.addEventListener("abort", abort, { once: true });
      this.#waiters.add(waiter);
    });
  }

  rejectAll(reason: unknown): void {
    for (const waiter of this.#waiters) waiter.reject(reason);
    this.#waiters.clear();
  }
}
