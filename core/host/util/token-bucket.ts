import { pause } from "./pause.js";

/** What a bucket waits with. */
export interface BucketClock {
  /** Milliseconds. */
  now(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

const REAL_CLOCK: BucketClock = { now: () => performance.now(), sleep: pause };

/**
 * A rate. The bucket starts full, holds `capacity`, and fills with `perSecond` a second. Callers are charged in their order, each
 * with one timer of its own, and wait until what they were charged has flowed in: also for more than the bucket can hold. It is
 * kept as the time at which it would be full again (the generic cell rate algorithm).
 */
export class TokenBucket {
  readonly #perSecond: number;
  /** Of an empty bucket, milliseconds until it is full. */
  readonly #fillMs: number;
  #fullAt = Number.NEGATIVE_INFINITY;

  constructor(
    { perSecond, capacity = perSecond }: { readonly perSecond: number; readonly capacity?: number },
    private readonly clock: BucketClock = REAL_CLOCK,
  ) {
    if (!(perSecond > 0)) throw new RangeError(`a rate must be above 0, not ${perSecond}`);
    this.#perSecond = perSecond;
    this.#fillMs = this.#msFor(capacity);
  }

  /** Resolves when the caller may begin. One that gives up is not charged. */
  async take(amount: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const waitMs = this.#charge(amount);
    if (waitMs <= 0) return;
    try {
      await this.clock.sleep(waitMs, signal);
    } catch (error) {
      this.#fullAt -= this.#msFor(amount);
      throw error;
    }
  }

  #charge(amount: number): number {
    const now = this.clock.now();
    this.#fullAt = Math.max(this.#fullAt, now) + this.#msFor(amount);
    return this.#fullAt - this.#fillMs - now;
  }

  #msFor(amount: number): number {
    return (1000 * amount) / this.#perSecond;
  }
}
