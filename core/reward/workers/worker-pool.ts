import { Semaphore } from "../../host/util/semaphore.js";
import type { RewardWorker, RewardWorkers } from "../reward.js";

/** A worker that is held by one caller. */
export interface Seat {
  readonly worker: RewardWorker;
  /** Ends the worker, whatever it is doing; the next caller gets a new one. */
  discard(): Promise<void>;
  release(): void;
}

interface Slot {
  readonly index: number;
  worker: RewardWorker | null;
  busy: boolean;
}

/** Up to `count` workers, started when all others are busy, lent to one caller at a time in order of arrival. */
export class WorkerPool {
  readonly #slots: readonly Slot[];
  readonly #places: Semaphore;
  #closed = false;

  constructor(private readonly workers: RewardWorkers) {
    this.#slots = Array.from({ length: workers.count }, (_, index) => ({ index, worker: null, busy: false }));
    this.#places = new Semaphore(workers.count);
  }

  /** Workers that are running. */
  get running(): number {
    return this.#slots.filter(({ worker }) => worker !== null).length;
  }

  async acquire(signal?: AbortSignal): Promise<Seat> {
    const release = await this.#places.acquire(signal);
    const free = this.#slots.filter(({ busy }) => !busy);
    // A place means that one is free.
    const slot = free.find(({ worker }) => worker !== null) ?? free[0];
    slot.busy = true;
    const leave = () => {
      slot.busy = false;
      release();
    };
    try {
      slot.worker ??= await this.#start(slot.index);
    } catch (error) {
      leave();
      throw error;
    }
    return {
      worker: slot.worker,
      async discard() {
        const { worker } = slot;
        slot.worker = null;
        await worker?.stop();
      },
      release: leave,
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(
      this.#slots.map(async (slot) => {
        const { worker } = slot;
        slot.worker = null;
        await worker?.stop();
      }),
    );
  }

  /** One that was starting while the pool closed must not stay. */
  async #start(index: number): Promise<RewardWorker> {
    if (this.#closed) throw new Error("the reward workers have been stopped");
    const worker = await this.workers.start(index);
    if (!this.#closed) return worker;
    await worker.stop();
    throw new Error("the reward workers have been stopped");
  }
}
