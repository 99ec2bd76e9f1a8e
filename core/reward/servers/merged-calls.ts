import { isA } from "../../host/errors.js";
import type { CallOptions } from "../../host/types.js";
import { DeadlineExceeded } from "../deadline.js";

interface Shared<T> {
  readonly result: Promise<T>;
  readonly controller: AbortController;
  callers: number;
  /** What the call waits for. */
  readonly waiting: { readonly state: string | null };
}

/** Tells what a call waits for from now on. */
export type TellState = (state: string) => void;

/**
 * Calls with the same key that are made while one of them is under way share it. A caller that gives up leaves the others
 * their call; the call is aborted when all of them have given up. Nothing is kept once it has ended.
 */
export class MergedCalls<T> {
  readonly #running = new Map<string, Shared<T>>();

  async run(
    key: string,
    call: (signal: AbortSignal, tell: TellState) => Promise<T>,
    { signal }: CallOptions = {},
  ): Promise<T> {
    signal?.throwIfAborted();
    const shared = this.#running.get(key) ?? this.#begin(key, call);
    shared.callers++;
    let leave: (() => void) | undefined;
    const left = new Promise<never>((_, reject) => {
      leave = () => {
        // The call hears of the last deadline alone; each error is to say what was waited for.
        const reason: unknown = signal?.reason;
        if (isA(reason, DeadlineExceeded)) reason.waitedFor ??= shared.waiting.state;
        reject(reason);
        if (--shared.callers > 0) return;
        // Whoever comes now must not join what is being aborted.
        if (this.#running.get(key) === shared) this.#running.delete(key);
        shared.controller.abort(signal?.reason);
      };
      signal?.addEventListener("abort", leave, { once: true });
    });
    try {
      return await Promise.race([shared.result, left]);
    } finally {
      if (leave) signal?.removeEventListener("abort", leave);
    }
  }

  #begin(key: string, call: (signal: AbortSignal, tell: TellState) => Promise<T>): Shared<T> {
    const controller = new AbortController();
    const waiting: { state: string | null } = { state: null };
    const tell: TellState = (state) => {
      waiting.state = state;
    };
    const result = call(controller.signal, tell).finally(() => {
      if (this.#running.get(key) === shared) this.#running.delete(key);
    });
    const shared: Shared<T> = { result, controller, callers: 0, waiting };
    // Callers that have left hear nothing of it.
    result.catch(() => {});
    this.#running.set(key, shared);
    return shared;
  }
}
