import { isMainThread, Worker } from "node:worker_threads";

/** Exit status of a process that was ended because a plugin blocked its only thread. */
export const WATCHDOG_EXIT_CODE = 70;

/** What the watchdog's thread is told to watch. */
export interface WatchOrder {
  readonly sequence: number;
  readonly label: string;
  readonly deadlineMs: number;
}

/** Time that the asynchronous deadline has to act before the watchdog concludes that the thread is blocked. */
const GRACE_MS = 300;

/**
 * A plugin that loops synchronously blocks every timer of its process, so only another thread can name it. The watchdog
 * does: it prints the culprit with the place where it hangs, and ends the process. In a worker thread there is none;
 * there the driver's deadline for the handshake does the work.
 */
export class Watchdog {
  private readonly sequence = new Int32Array(new SharedArrayBuffer(4));
  private worker: Worker | null = null;

  start(): void {
    if (!isMainThread || this.worker) return;
    this.worker = new Worker(new URL("./watchdog-thread.js", import.meta.url), {
      workerData: { sequence: this.sequence, exitCode: WATCHDOG_EXIT_CODE },
      execArgv: [],
    });
    this.worker.unref();
  }

  /** Watches `body`, which ought to end within `deadlineMs`; `label` says whose it is. */
  async watch<T>(label: string, deadlineMs: number, body: () => Promise<T>): Promise<T> {
    const sequence = Atomics.add(this.sequence, 0, 1) + 1;
    const order: WatchOrder = { sequence, label, deadlineMs: deadlineMs + GRACE_MS };
    this.worker?.postMessage(order);
    try {
      return await body();
    } finally {
      Atomics.add(this.sequence, 0, 1);
    }
  }

  stop(): void {
    void this.worker?.terminate();
    this.worker = null;
  }
}
