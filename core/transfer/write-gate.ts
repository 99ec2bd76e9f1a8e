import { timerMs } from "../host/util/deadline.js";
import { transferErrors } from "./errors.js";

interface PendingWrite {
  /** Writes if there is room; false if there is not. May throw. */
  attempt(): boolean;
  resolve(): void;
  reject(reason: unknown): void;
}

/** Lets writes wait for room, first come, first served. */
export class WriteGate {
  readonly #pending: PendingWrite[] = [];

  constructor(
    readonly deadlineMs: number,
    readonly describe: () => string,
  ) {}

  /** True while some write waits: later ones that need room must queue up behind it. */
  get congested(): boolean {
    return this.#pending.length > 0;
  }

  /** Try again whenever room is made, until the write lands, `signal` aborts or the deadline passes. */
  wait(attempt: () => boolean, bytes: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (how: () => void) => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
        const at = this.#pending.indexOf(entry);
        if (at >= 0) this.#pending.splice(at, 1);
        how();
      };
      const entry: PendingWrite = {
        attempt,
        resolve: () => settle(resolve),
        reject: (reason) => settle(() => reject(reason)),
      };
      const abort = () => {
        entry.reject(signal?.reason);
        this.roomMade();
      };
      const timer = setTimeout(() => {
        entry.reject(
          transferErrors.VERL_QUEUE_FULL({
            what: `a write of ${bytes} bytes found no room within ${this.deadlineMs / 1000} s`,
            why: this.describe(),
          }),
        );
        this.roomMade();
      }, timerMs(this.deadlineMs));
      signal?.addEventListener("abort", abort, { once: true });
      this.#pending.push(entry);
    });
  }

  /** Let waiting writes land, in order, until one finds no room. */
  roomMade(): void {
    while (this.#pending.length > 0) {
      const head = this.#pending[0];
      try {
        if (!head.attempt()) return;
        head.resolve();
      } catch (error) {
        head.reject(error);
      }
    }
  }

  rejectAll(reason: unknown): void {
    for (const entry of [...this.#pending]) entry.reject(reason);
  }
}
