import { setTimeout as sleep } from "node:timers/promises";
import type { CallOptions, TransferQueue } from "../../core/plugin.js";

/** Names of the calls that a fault may hit. */
export type QueueCall = Exclude<keyof TransferQueue, "revision">;

export interface Fault {
  readonly call: QueueCall;
  /** Fail with this; without it the call is only delayed. */
  readonly error?: unknown;
  readonly delayMs?: number;
  /** How many calls are hit; default all. */
  readonly times?: number;
  /** `after`: the call takes effect and then fails, as when an answer is lost. Default `before`. */
  readonly when?: "before" | "after";
  /** Only calls whose arguments satisfy this. */
  readonly matches?: (...args: readonly unknown[]) => boolean;
}

/** A queue that delays or fails chosen calls of another one. */
export class FaultyQueue implements TransferQueue {
  readonly #faults: { fault: Fault; left: number }[] = [];
  /** Calls that reached this queue, by name. */
  readonly calls: Partial<Record<QueueCall, number>> = {};

  constructor(readonly inner: TransferQueue) {}

  inject(fault: Fault): this {
    this.#faults.push({ fault, left: fault.times ?? Number.POSITIVE_INFINITY });
    return this;
  }

  heal(): void {
    this.#faults.length = 0;
  }

  put: TransferQueue["put"] = (...args) => this.#run("put", args, args[3], () => this.inner.put(...args));
  putBatch: TransferQueue["putBatch"] = (...args) =>
    this.#run("putBatch", args, args[2], () => this.inner.putBatch(...args));
  get: TransferQueue["get"] = (...args) => this.#run("get", args, args[2], () => this.inner.get(...args));
  list: TransferQueue["list"] = (...args) => this.#run("list", args, args[1], () => this.inner.list(...args));
  partitions: TransferQueue["partitions"] = (...args) =>
    this.#run("partitions", args, args[0], () => this.inner.partitions(...args));
  claim: TransferQueue["claim"] = (...args) => this.#run("claim", args, args[3], () => this.inner.claim(...args));
  clear: TransferQueue["clear"] = (...args) => this.#run("clear", args, args[2], () => this.inner.clear(...args));
  changed: TransferQueue["changed"] = (...args) =>
    this.#run("changed", args, args[1], () => this.inner.changed(...args));
  snapshot: TransferQueue["snapshot"] = (...args) =>
    this.#run("snapshot", args, args[0], () => this.inner.snapshot(...args));
  restore: TransferQueue["restore"] = (...args) =>
    this.#run("restore", args, args[1], () => this.inner.restore(...args));
  close: TransferQueue["close"] = () => this.#run("close", [], undefined, () => this.inner.close());

  revision(): number {
    return this.inner.revision();
  }

  async #run<T>(
    call: QueueCall,
    args: readonly unknown[],
    options: CallOptions | undefined,
    effect: () => Promise<T>,
  ): Promise<T> {
    this.calls[call] = (this.calls[call] ?? 0) + 1;
    const hit = this.#faults.find(
      ({ fault, left }) => fault.call === call && left > 0 && (fault.matches?.(...args) ?? true),
    );
    if (!hit) return effect();
    hit.left--;
    const { fault } = hit;
    if (fault.delayMs) await delay(fault.delayMs, options?.signal);
    const result = fault.when === "after" ? await effect() : undefined;
    if ("error" in fault) throw fault.error;
    return fault.when === "after" ? (result as T) : effect();
  }
}

async function delay(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch {
    signal?.throwIfAborted();
  }
}
