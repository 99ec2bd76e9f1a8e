import { appendFile } from "node:fs/promises";
import path from "node:path";
import { InProcessQueue, type PutOptions, type Row, type Tag, type TransferQueueFactory } from "verl-ts/plugin";

type Entry = { readonly key: string; readonly fields?: Row; readonly tag?: Tag };

/**
 * The queue of one process, which also writes every change of a tag into a file, as a journal. One of your own implements
 * `TransferQueue` over a broker: rows by key, tags that are merged, claims that one owner gets, and a revision that wakes who waits.
 */
class JournalQueue extends InProcessQueue {
  #writing: Promise<void> = Promise.resolve();

  constructor(
    capacityBytes: number,
    private readonly file: string | null,
  ) {
    super({ capacityBytes });
  }

  override async putBatch(partition: string, entries: readonly Entry[], options?: PutOptions): Promise<void> {
    await super.putBatch(partition, entries, options);
    const lines = entries.map(({ key, tag }) => `${JSON.stringify({ partition, key, ...tag })}\n`);
    if (this.file !== null) await this.#append(this.file, lines.join(""));
  }

  override async close(): Promise<void> {
    await super.close();
    await this.#writing;
  }

  #append(file: string, text: string): Promise<void> {
    this.#writing = this.#writing.then(() => appendFile(file, text));
    return this.#writing;
  }
}

export const queue: TransferQueueFactory = {
  name: "__SHORT__",
  async create({ capacityBytes, extra }) {
    const { journal = null } = extra;
    if (journal !== null && typeof journal !== "string") throw new TypeError("__SHORT__: journal is no path");
    return new JournalQueue(capacityBytes, journal === null ? null : path.resolve(journal));
  },
};
