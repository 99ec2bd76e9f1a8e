import { withDeadline } from "../../host/util/deadline.js";

/**
 * Agent loops that run. A session ends with its signal, its loop a little later: with what it has to release, for which the end of
 * a run waits.
 */
export class Unwinding {
  readonly #running = new Set<Promise<unknown>>();

  watch<T>(loop: Promise<T>): Promise<T> {
    this.#running.add(loop);
    const leave = () => void this.#running.delete(loop);
    loop.then(leave, leave);
    return loop;
  }

  /** Resolves when none runs any more, or after this time: with how many still do. */
  async settled(ms: number): Promise<number> {
    const all = Promise.allSettled(this.#running);
    await withDeadline(all, ms, () => new Error()).catch(() => {});
    return this.#running.size;
  }
}
