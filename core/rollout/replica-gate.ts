import { rolloutErrors } from "./errors.js";
import type { MemoryTag } from "./rollout.js";

/**
 * Who may generate now: the life-cycle that every replica shares. Requests wait while generation is paused (paused
 * comes before asleep: whoever pauses promises to resume), are refused while memory is released, and are counted while
 * they run so that memory is taken away only from under an idle server.
 */
export class ReplicaGate {
  private readonly absent = new Set<MemoryTag>();
  private readonly waiting = new Set<() => void>();
  private readonly idleWaiters = new Set<() => void>();
  private readonly inside = new Set<AbortController>();
  private paused = false;

  /** Requests inside, plus requests that wait to enter. */
  get inFlight(): number {
    return this.inside.size + this.waiting.size;
  }

  /** Memory that is released now. */
  get released(): ReadonlySet<MemoryTag> {
    return this.absent;
  }

  /** Wait until generation is not paused, then come in; false when the request was aborted first. Pair with `leave`. */
  async enter(request: AbortController): Promise<boolean> {
    const { signal } = request;
    while (this.paused && !signal.aborted) await this.changed(signal);
    if (signal.aborted) return false;
    if (this.absent.size > 0) {
      throw rolloutErrors.VERL_ROLLOUT_ASLEEP({
        what: `The server has released its ${[...this.absent].join(" and ")}`,
      });
    }
    this.inside.add(request);
    return true;
  }

  leave(request: AbortController): void {
    this.inside.delete(request);
    if (this.inside.size === 0) wakeAll(this.idleWaiters);
  }

  /** Abort the requests that have come in, not those that wait. */
  abortInside(): void {
    for (const request of this.inside) request.abort(aborted());
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
    wakeAll(this.waiting);
  }

  /** Refuse requests from now on; resolves when none is running. Those that wait for `resume` keep waiting. */
  async close(tags: readonly MemoryTag[]): Promise<void> {
    for (const tag of tags) this.absent.add(tag);
    await this.idle();
  }

  open(tags: readonly MemoryTag[]): void {
    for (const tag of tags) this.absent.delete(tag);
  }

  /** Resolves when no request is running. */
  async idle(): Promise<void> {
    while (this.inside.size > 0) await new Promise<void>((resolve) => this.idleWaiters.add(resolve));
  }

  private changed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.waiting.delete(wake);
        signal.removeEventListener("abort", wake);
        resolve();
      };
      this.waiting.add(wake);
      signal.addEventListener("abort", wake, { once: true });
    });
  }
}

/** The reason that aborted requests see. */
export const aborted = (): DOMException => new DOMException("Generation was aborted", "AbortError");

function wakeAll(waiters: Set<() => void>): void {
  const all = [...waiters];
  waiters.clear();
  for (const wake of all) wake();
}
