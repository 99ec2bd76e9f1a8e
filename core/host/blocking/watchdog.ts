import inspector from "node:inspector";
import { isMainThread, Worker } from "node:worker_threads";

/** Exit status of a process that was ended because code that it loaded blocked its only thread. */
export const WATCHDOG_EXIT_CODE = 70;

/** What is watched, and what is said where it blocks the process. */
export interface Watched {
  readonly label: string;
  readonly deadlineMs: number;
  readonly code: string;
  readonly fix: string;
}

/** What the watchdog's thread is told to watch. */
export interface WatchOrder extends Watched {
  readonly sequence: number;
}

/** Time that the asynchronous deadline has to act before the watchdog looks whether the thread is blocked. */
const GRACE_MS = 300;
/** So often a thread that is not blocked shows it. */
const BEAT_MS = 100;

/**
 * A module that loops synchronously blocks every timer of its process, so only another thread can name it. The watchdog
 * does: it prints the culprit with the place where it hangs, and ends the process. In a worker thread there is none;
 * there the driver's deadline for the handshake does the work.
 */
export class Watchdog {
  private readonly sequence = new Int32Array(new SharedArrayBuffer(4));
  /** Counts while the event loop turns. */
  private readonly beats = new Int32Array(new SharedArrayBuffer(4));
  private worker: Worker | null = null;
  private holders = 0;

  /** Starts the thread, unless it runs. Returns the function that lets it go: it ends with the last holder. */
  hold(): () => void {
    this.holders++;
    if (isMainThread && !this.worker) this.worker = this.start();
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      if (--this.holders === 0) this.stop();
    };
  }

  /** Watches `body`, which ought to end within the deadline. */
  async watch<T>(watched: Watched, body: () => Promise<T>): Promise<T> {
    const release = this.hold();
    const beating = setInterval(() => Atomics.add(this.beats, 0, 1), BEAT_MS).unref();
    const sequence = Atomics.add(this.sequence, 0, 1) + 1;
    // Whoever stops at a breakpoint is left alone.
    const isDebugged = inspector.url() !== undefined;
    if (!isDebugged) this.order({ ...watched, sequence, deadlineMs: watched.deadlineMs + GRACE_MS });
    try {
      return await body();
    } finally {
      Atomics.add(this.sequence, 0, 1);
      clearInterval(beating);
      release();
    }
  }

  private order(order: WatchOrder): void {
    this.worker?.postMessage(order);
  }

  private stop(): void {
    void this.worker?.terminate();
    this.worker = null;
  }

  private start(): Worker {
    const worker = new Worker(new URL("./watchdog-thread.js", import.meta.url), {
      workerData: { sequence: this.sequence, beats: this.beats, exitCode: WATCHDOG_EXIT_CODE },
      execArgv: [],
    });
    worker.unref();
    return worker;
  }
}
