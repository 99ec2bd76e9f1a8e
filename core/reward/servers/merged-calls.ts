import type { CallOptions } from "../../host/types.js";

interface Shared<T> {
  readonly result: Promise<T>;
  readonly controller: AbortController;
  callers: number;
}

/**
 * Calls with the same key that are made while one of them is under way share it. A caller that gives up leaves the others
 * their call; the call is aborted when all of them have given up. Nothing is kept once it has ended.
 */
export class MergedCalls<T> {
  readonly #running = new Map<string, Shared<T>>();

  async run(key: string, call: (signal: AbortSignal) => Promise<T>, { signal }: CallOptions = {}): Promise<T> {
    signal?.throwIfAborted();
    const shared = this.#running.get(key) ?? this.#begin(key, call);
    shared.callers++;
    let leave: (() => void) | undefined;
    const left = new Promise<never>((_, reject) => {
      leave = () => {
        reject(signal?.reason);
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

  #begin(key: string, call: (signal: AbortSignal) => Promise<T>): Shared<T> {
    const controller = new AbortController();
    const result = call(controller.signal).finally(() => {
      if (this.#running.get(key) === shared) this.#running.delete(key);
    });
    const shared: Shared<T> = { result, controller, callers: 0 };
    // Callers that have left hear nothing of it.
    result.catch(() => {});
    this.#running.set(key, shared);
    return shared;
  }
}
