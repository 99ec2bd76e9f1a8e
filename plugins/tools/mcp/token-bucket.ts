import { pause } from "../../../core/host/index.js";

/**
 * A rate of so many calls a second, with as many at once as a second holds. Those that must wait are admitted in their order,
 * each by a timer of its own.
 */
export class TokenBucket {
  readonly #intervalMs: number;
  /** How far calls may run ahead of their rate. */
  readonly #slackMs: number;
  /** When the next call would be due if calls came evenly. */
  #due = 0;

  constructor(
    callsPerSecond: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#intervalMs = 1000 / callsPerSecond;
    this.#slackMs = (Math.max(1, Math.floor(callsPerSecond)) - 1) * this.#intervalMs;
  }

  /** Resolves when a call may begin. A waiter that gives up leaves its turn to later ones. */
  async take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const waitMs = this.reserve();
    if (waitMs <= 0) return;
    await pause(waitMs, signal).catch((error: unknown) => {
      this.#due -= this.#intervalMs;
      throw error;
    });
  }

  /** Takes the next turn; milliseconds until it comes. */
  reserve(): number {
    const now = this.now();
    const due = Math.max(this.#due, now);
    this.#due = due + this.#intervalMs;
    return due - this.#slackMs - now;
  }
}
