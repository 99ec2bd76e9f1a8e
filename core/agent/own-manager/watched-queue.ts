import { isPromptStatus, isTerminal, type Tag, type TransferQueue } from "../../transfer/index.js";

/** The queue, telling of every key that a put through it gave a terminal status. */
export function watchedQueue(queue: TransferQueue, onEnd: (partition: string, key: string) => void): TransferQueue {
  const ended = (partition: string, key: string, tag: Tag | undefined) => {
    if (isPromptStatus(tag?.status) && isTerminal(tag.status)) onEnd(partition, key);
  };
  return {
    async put(partition, key, value, options) {
      await queue.put(partition, key, value, options);
      ended(partition, key, value.tag);
    },
    async putBatch(partition, entries, options) {
      await queue.putBatch(partition, entries, options);
      for (const { key, tag } of entries) ended(partition, key, tag);
    },
    get: (...args) => queue.get(...args),
    list: (...args) => queue.list(...args),
    partitions: (...args) => queue.partitions(...args),
    claim: (...args) => queue.claim(...args),
    clear: (...args) => queue.clear(...args),
    revision: () => queue.revision(),
    changed: (...args) => queue.changed(...args),
    snapshot: (...args) => queue.snapshot(...args),
    restore: (...args) => queue.restore(...args),
    close: () => queue.close(),
  };
}
