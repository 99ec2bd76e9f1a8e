import type { BucketClock } from "../../../../core/host/index.js";

/** Time that passes only when everybody waits: `run` lets the earliest sleeper go on, until nobody sleeps. */
export class VirtualClock implements BucketClock {
  #now = 0;
  readonly #sleepers: { readonly at: number; wake(): void }[] = [];

  now(): number {
    return this.#now;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((wake, reject) => {
      const sleeper = { at: this.#now + ms, wake };
      this.#sleepers.push(sleeper);
      signal?.addEventListener("abort", () => {
        this.#sleepers.splice(this.#sleepers.indexOf(sleeper), 1);
        reject(signal.reason);
      });
    });
  }

  async run(): Promise<void> {
    for (;;) {
      // Everything that can go on without time does so first.
      await new Promise(setImmediate);
      if (this.#sleepers.length === 0) return;
      this.#sleepers.sort((a, b) => a.at - b.at);
      const { at, wake } = this.#sleepers.shift()!;
      this.#now = Math.max(this.#now, at);
      wake();
    }
  }
}
