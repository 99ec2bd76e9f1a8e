import { pause } from "../../host/pause.js";

/** What a bucket waits with. */
export interface BucketClock {
  /** Milliseconds. */
  now(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

const REAL_CLOCK: BucketClock = { now: () => performance.now(), sleep: pause };

/** Rounding must not make a caller wait for a billionth of a token. */
const EPSILON = 1e-9;

/**
 * A rate per minute. The bucket starts full, holds what one second brings, and fills with `perMinute / 60` a second. Who asks
 * for more than it can hold is charged at once and waits until the debt is paid; all others wait until there is enough.
 */
export class TokenBucket {
  readonly capacity: number;
  #level: number;
  #filledAt: number;

  constructor(
    perMinute: number,
    private readonly clock: BucketClock = REAL_CLOCK,
  ) {
    if (!(perMinute > 0)) throw new RangeError(`a rate must be above 0, not ${perMinute}`);
    this.capacity = perMinute / 60;
    this.#level = this.capacity;
    this.#filledAt = clock.now();
  }

  async take(amount: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    this.#fill();
    if (amount > this.capacity) {
      this.#level -= amount;
      if (this.#level < 0) await this.#wait(-this.#level, signal);
      return;
    }
    while (this.#level + EPSILON < amount) {
      await this.#wait(amount - this.#level, signal);
      this.#fill();
    }
    this.#level -= amount;
  }

  #wait(tokens: number, signal?: AbortSignal): Promise<void> {
    return this.clock.sleep((1000 * tokens) / this.capacity, signal);
  }

  #fill(): void {
    const now = this.clock.now();
    this.#level = Math.min(this.capacity, this.#level + ((now - this.#filledAt) / 1000) * this.capacity);
    this.#filledAt = now;
  }
}
