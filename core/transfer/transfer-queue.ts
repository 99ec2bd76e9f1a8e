import type { Row } from "../data/rows/row.js";
import type { CallOptions, JsonValue } from "../host/types.js";

/**
 * Small metadata of a key, merged on every write: writing `{status}` keeps everything else. Prompt and trajectory tags
 * have the forms of `prompt-tag.ts`.
 */
export type Tag = Readonly<Record<string, JsonValue>>;

export interface PutOptions extends CallOptions {
  /**
   * Attempt that writes; it is kept in the tag. A put whose attempt is lower than the `attempt` in the stored tag of the
   * key, or of the prompt that the key belongs to, is refused with `VERL_QUEUE_STALE_ATTEMPT`, so a late write of a
   * re-issued prompt cannot land.
   */
  readonly attempt?: number;
}

export interface Entry {
  readonly key: string;
  readonly tag: Tag;
}

/**
 * A partitioned store of rows (arrays are stored by copy) with tags through which every trajectory flows. Keys: prompt `{uid}`, trajectory
 * `{uid}_{session}_{index}`; uids hold no underscore. Listing order is insertion order of keys.
 */
export interface TransferQueue {
  /** Idempotent: the same key, fields and tag twice is the same as once. Neither fields nor tag is an error. */
  put(partition: string, key: string, value: { fields?: Row; tag?: Tag }, options?: PutOptions): Promise<void>;
  /** All or nothing. */
  putBatch(
    partition: string,
    entries: readonly { key: string; fields?: Row; tag?: Tag }[],
    options?: PutOptions,
  ): Promise<void>;
  /** Rows in the order of the keys; an unknown key or partition is an error. `select` leaves other fields out. */
  get(
    partition: string,
    keys: readonly string[],
    options?: CallOptions & { select?: readonly string[] },
  ): Promise<Row[]>;
  /** Tags of every key, in insertion order; an unknown partition is empty. */
  list(partition: string, options?: CallOptions): Promise<Entry[]>;
  partitions(options?: CallOptions): Promise<string[]>;
  /**
   * Sets `claimedBy` on the key's tag if nobody holds it; true for exactly one owner, who may ask again. False for a key
   * that is gone. Writing `{claimedBy: null}` gives the key back.
   */
  claim(partition: string, key: string, owner: string, options?: CallOptions): Promise<boolean>;
  /** Removes keys; unknown ones are ignored. Returns how many were there. */
  clear(partition: string, keys: readonly string[], options?: CallOptions): Promise<number>;
  /**
   * Grows by at least one for every key that a call changes: a reader who needs n keys to change may wait for n revisions.
   * A put that changes nothing may count too.
   */
  revision(): number;
  /** Resolves with the current revision once it is greater than `since`. Rejects when aborted. */
  changed(since: number, options?: CallOptions): Promise<number>;
  /** The whole store, or the listed partitions, as plain data that `restore` understands. */
  snapshot(options?: CallOptions & { partitions?: readonly string[] }): Promise<QueueSnapshot>;
  /** Replaces everything that the queue holds. */
  restore(snapshot: QueueSnapshot, options?: CallOptions): Promise<void>;
  close(): Promise<void>;
}

export interface QueueSnapshot {
  readonly version: 1;
  readonly partitions: readonly {
    readonly name: string;
    readonly entries: readonly { readonly key: string; readonly tag: Tag; readonly fields: Row }[];
  }[];
}

/** Registered under a queue name (`transfer_queue.backend.storage_backend`). */
export interface TransferQueueFactory {
  readonly name: string;
  /** `capacityBytes`: 0 = no limit. A put that finds the queue full waits for room; nothing is evicted. */
  create(options: { capacityBytes: number; extra: Readonly<Record<string, unknown>> }): Promise<TransferQueue>;
}
