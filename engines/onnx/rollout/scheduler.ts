import type { GrowingResponse } from "../../../core/plugin.js";

/** A request that waits for a slot or holds one. */
export interface Sequence {
  readonly response: GrowingResponse;
  /** Lower goes first; ties in order of arrival. */
  readonly priority: number;
  /** Equal for equal prompts. */
  readonly promptKey: string;
  /** Set while it is active. */
  slot: number;
}

export interface SchedulerLimits {
  readonly slots: number;
  /** Cells of one prefill, padding included; a longer prompt goes alone. */
  readonly maxPrefillTokens: number;
}

export interface Admission<S> {
  /** Prompts to compute, in neighbouring slots. */
  readonly fresh: readonly S[];
  /** Sequences whose prompt is known already, or is that of a fresh one. */
  readonly shared: readonly S[];
}

/**
 * Who sits in which slot. Active sequences fill the first slots without a gap, so that decoding works on them alone: the
 * last one moves into a slot that becomes free.
 */
export class Scheduler<S extends Sequence> {
  readonly active: S[] = [];
  private waiting: S[] = [];

  constructor(private readonly limits: SchedulerLimits) {}

  get isIdle(): boolean {
    return this.active.length === 0 && this.waiting.length === 0;
  }

  enqueue(sequence: S): void {
    let at = this.waiting.length;
    while (at > 0 && this.waiting[at - 1].priority > sequence.priority) at--;
    this.waiting.splice(at, 0, sequence);
  }

  /** Whether sequences with this prompt wait. */
  isAwaited(promptKey: string): boolean {
    return this.waiting.some((sequence) => sequence.promptKey === promptKey);
  }

  /** Take sequences out of the queue, e.g. aborted ones. */
  takeWaiting(match: (sequence: S) => boolean): S[] {
    const taken = this.waiting.filter(match);
    if (taken.length > 0) this.waiting = this.waiting.filter((sequence) => !match(sequence));
    return taken;
  }

  /** Seat waiting sequences in order, as long as slots and the budget of one prefill last. */
  admit(isKnown: (promptKey: string) => boolean): Admission<S> {
    const fresh: S[] = [];
    const shared: S[] = [];
    const keys = new Set<string>();
    let longest = 0;
    let taken = 0;
    for (const next of this.waiting) {
      if (this.active.length + taken === this.limits.slots) break;
      if (keys.has(next.promptKey) || isKnown(next.promptKey)) {
        shared.push(next);
      } else {
        const length = Math.max(longest, next.response.request.promptIds.length);
        if (fresh.length > 0 && length * (fresh.length + 1) > this.limits.maxPrefillTokens) break;
        longest = length;
        keys.add(next.promptKey);
        fresh.push(next);
      }
      taken++;
    }
    this.waiting.splice(0, taken);
    for (const sequence of [...fresh, ...shared]) sequence.slot = this.active.push(sequence) - 1;
    return { fresh, shared };
  }

  /** Free the slots of sequences that are done; `move` relocates the cache of one that changes its slot. */
  free(done: ReadonlySet<S>, move: (sequence: S, to: number) => void): void {
    for (let slot = 0; slot < this.active.length; slot++) {
      if (!done.has(this.active[slot])) continue;
      let last = this.active.pop() as S;
      while (done.has(last) && this.active.length > slot) last = this.active.pop() as S;
      if (done.has(last)) return;
      move(last, slot);
      last.slot = slot;
      this.active[slot] = last;
    }
  }
}
