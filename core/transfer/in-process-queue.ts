import type { Row } from "../data/rows/row.js";
import type { CallOptions } from "../host/types.js";
import { above, from, type OptionForms, optional, requireOptions } from "../host/util/given-options.js";
import { ChangeSignal } from "./change-signal.js";
import { transferErrors } from "./errors.js";
import { parseKey, uidOfKey } from "./keys.js";
import { bytesOfRow, copyRow, copyTag } from "./stored-value.js";
import type { Entry, PutOptions, QueueSnapshot, Tag, TransferQueue, TransferQueueFactory } from "./transfer-queue.js";
import { WriteGate } from "./write-gate.js";

export interface InProcessQueueOptions {
  /** Bytes of fields that the queue holds at most; 0 = no limit. Tags are not counted. */
  readonly capacityBytes?: number;
  /** How long a put waits for room before `VERL_QUEUE_FULL`. */
  readonly putDeadlineMs?: number;
}

const OPTIONS: OptionForms<InProcessQueueOptions> = {
  capacityBytes: optional(from(0)),
  putDeadlineMs: optional(above(0)),
};

interface Stored {
  readonly entry: Entry;
  readonly fields: Row;
  readonly bytes: number;
}
interface Write {
  readonly key: string;
  readonly fields?: Row;
  readonly tag?: Tag;
}

/**
 * The queue for runs in one process. A put that finds the queue full waits for room; nothing is ever evicted. Puts
 * without fields never wait, so that status updates reach the trainer whose clearing makes the room.
 */
export class InProcessQueue implements TransferQueue {
  #partitions = new Map<string, Map<string, Stored>>();
  #used = 0;
  #closed = false;
  readonly #capacity: number;
  readonly #changes = new ChangeSignal();
  readonly #gate: WriteGate;

  constructor(options: InProcessQueueOptions = {}) {
    requireOptions<InProcessQueueOptions>("InProcessQueue", options, OPTIONS);
    this.#capacity = options.capacityBytes || Number.POSITIVE_INFINITY;
    this.#gate = new WriteGate(options.putDeadlineMs ?? 600_000, () => this.#describe());
  }

  /** Bytes of fields held now. */
  get usedBytes(): number {
    return this.#used;
  }

  put(partition: string, key: string, value: { fields?: Row; tag?: Tag }, options?: PutOptions): Promise<void> {
    return this.putBatch(partition, [{ key, ...value }], options);
  }

  async putBatch(partition: string, entries: readonly Write[], options: PutOptions = {}): Promise<void> {
    this.#begin(options);
    const writes = entries.map((entry) => copyIn(partition, entry, options.attempt));
    const bytes = writes.reduce((sum, write) => sum + bytesOfRow(write.fields ?? {}), 0);
    if (bytes > this.#capacity) {
      throw transferErrors.VERL_QUEUE_ROW_TOO_LARGE({
        what: `a write of ${bytes} bytes cannot fit in a queue of ${this.#capacity} bytes`,
        where: `partition ${partition}, key ${writes[0].key}`,
      });
    }
    const write = (mayGrow: boolean) => this.#tryWrite(partition, writes, options.attempt, mayGrow);
    if (writes.length === 0 || write(!this.#gate.congested)) return;
    await this.#gate.wait(() => write(true), bytes, options.signal);
  }

  async get(
    partition: string,
    keys: readonly string[],
    options: CallOptions & { select?: readonly string[] } = {},
  ): Promise<Row[]> {
    this.#begin(options);
    const stored = this.#partitions.get(partition);
    const missing = keys.filter((key) => !stored?.has(key));
    if (missing.length > 0) {
      throw transferErrors.VERL_QUEUE_UNKNOWN_KEY({
        what: `${missing.length} of ${keys.length} keys are not in the queue: ${missing.slice(0, 5).join(", ")}`,
        where: `partition ${partition}${stored ? "" : ", which is empty"}`,
      });
    }
    return keys.map((key) => copyRow(stored!.get(key)!.fields, key, options.select));
  }

  async list(partition: string, options: CallOptions = {}): Promise<Entry[]> {
    this.#begin(options);
    return Array.from(this.#partitions.get(partition)?.values() ?? [], (stored) => stored.entry);
  }

  async partitions(options: CallOptions = {}): Promise<string[]> {
    this.#begin(options);
    return [...this.#partitions.keys()];
  }

  async claim(partition: string, key: string, owner: string, options: CallOptions = {}): Promise<boolean> {
    this.#begin(options);
    const stored = this.#partitions.get(partition)?.get(key);
    if (!stored) return false;
    const holder = stored.entry.tag.claimedBy ?? null;
    if (holder === null) this.#tryWrite(partition, [{ key, tag: { claimedBy: owner } }], undefined, false);
    return holder === null || holder === owner;
  }

  async clear(partition: string, keys: readonly string[], options: CallOptions = {}): Promise<number> {
    this.#begin(options);
    const stored = this.#partitions.get(partition);
    let removed = 0;
    for (const key of keys) {
      this.#used -= stored?.get(key)?.bytes ?? 0;
      if (stored?.delete(key)) removed++;
    }
    if (stored?.size === 0) this.#partitions.delete(partition);
    if (removed > 0) {
      this.#changes.bump(removed);
      this.#gate.roomMade();
    }
    return removed;
  }

  revision(): number {
    return this.#changes.revision;
  }

  async changed(since: number, options: CallOptions = {}): Promise<number> {
    this.#begin(options);
    return this.#changes.wait(since, options.signal);
  }

  async snapshot(options: CallOptions & { partitions?: readonly string[] } = {}): Promise<QueueSnapshot> {
    this.#begin(options);
    const names = options.partitions ?? [...this.#partitions.keys()];
    const partitions = names.map((name) => ({
      name,
      entries: Array.from(this.#partitions.get(name)?.values() ?? [], ({ entry, fields }) => ({
        key: entry.key,
        tag: structuredClone(entry.tag),
        fields: copyRow(fields, entry.key),
      })),
    }));
    return { version: 1, partitions };
  }

  async restore(snapshot: QueueSnapshot, options: CallOptions = {}): Promise<void> {
    this.#begin(options);
    if (snapshot.version !== 1) throw badSnapshot(`it has version ${String(snapshot.version)}, this queue reads 1`);
    const restored = new Map<string, Map<string, Stored>>();
    let used = 0;
    for (const { name, entries } of snapshot.partitions) {
      const rows = entries.map((entry) => store(copyIn(name, entry, undefined), undefined));
      if (rows.length > 0) restored.set(name, new Map(rows.map((row) => [row.entry.key, row])));
      used += rows.reduce((sum, row) => sum + row.bytes, 0);
    }
    if (used > this.#capacity) throw badSnapshot(`it holds ${used} bytes, the queue holds ${this.#capacity} at most`);
    const changes = countKeys(this.#partitions) + countKeys(restored);
    this.#partitions = restored;
    this.#used = used;
    this.#changes.bump(changes + 1);
    this.#gate.roomMade();
  }

  async close(): Promise<void> {
    this.#closed = true;
    const reason = closed();
    this.#changes.rejectAll(reason);
    this.#gate.rejectAll(reason);
    this.#partitions.clear();
    this.#used = 0;
  }

  /** Check, then write everything at once; false when the fields do not fit or may not grow. */
  #tryWrite(partition: string, writes: readonly Write[], attempt: number | undefined, mayGrow: boolean): boolean {
    const stored = this.#partitions.get(partition) ?? new Map<string, Stored>();
    if (attempt !== undefined) for (const { key } of writes) refuseStale(stored, key, attempt);
    const next = new Map<string, Stored>();
    let growth = 0;
    for (const write of writes) {
      const before = next.get(write.key) ?? stored.get(write.key);
      const after = store(write, before);
      growth += after.bytes - (before?.bytes ?? 0);
      next.set(write.key, after);
    }
    if (growth > 0 && (!mayGrow || this.#used + growth > this.#capacity)) return false;
    for (const [key, row] of next) stored.set(key, row);
    this.#partitions.set(partition, stored);
    this.#used += growth;
    this.#changes.bump(next.size);
    if (growth < 0) queueMicrotask(() => this.#gate.roomMade());
    return true;
  }

  #begin(options: CallOptions): void {
    if (this.#closed) throw closed();
    options.signal?.throwIfAborted();
  }

  #describe(): string {
    const parts = [...this.#partitions].map(([name, stored]) => `${stored.size} keys in partition ${name}`);
    return `${this.#used} of ${this.#capacity} bytes are taken by ${parts.join(", ") || "nothing"}`;
  }
}

/** The in-process queue; `extra.put_deadline_s` bounds how long a put waits for room. */
export const inProcessQueueFactory: TransferQueueFactory = {
  name: "in_process",
  async create({ capacityBytes, extra }) {
    const seconds = extra.put_deadline_s;
    return new InProcessQueue({
      capacityBytes,
      putDeadlineMs: typeof seconds === "number" ? seconds * 1000 : undefined,
    });
  },
};

/** Check and copy what a caller passed, so that later changes of it do not reach the queue. */
function copyIn(partition: string, { key, fields, tag }: Write, attempt: number | undefined): Write {
  parseKey(key);
  if (!fields && !tag) {
    throw transferErrors.VERL_QUEUE_EMPTY_PUT({ what: `put of ${key} carries neither fields nor a tag` });
  }
  const where = `partition ${partition}, key ${key}`;
  return {
    key,
    fields: fields && copyRow(fields, where),
    tag: copyTag({ ...tag, ...(attempt === undefined ? {} : { attempt }) }, where),
  };
}

/** The key's content after a write that is already a private copy. */
function store({ key, tag, fields }: Write, before: Stored | undefined): Stored {
  const merged = { ...before?.fields, ...fields };
  return {
    entry: Object.freeze({ key, tag: Object.freeze({ ...before?.entry.tag, ...tag }) }),
    fields: merged,
    bytes: fields ? bytesOfRow(merged) : (before?.bytes ?? 0),
  };
}

/** The attempt of a trajectory is judged by its prompt too: its own key may not exist yet. */
function refuseStale(stored: ReadonlyMap<string, Stored>, key: string, attempt: number): void {
  for (const holder of new Set([key, uidOfKey(key)])) {
    const current = stored.get(holder)?.entry.tag.attempt;
    if (typeof current === "number" && attempt < current) {
      throw transferErrors.VERL_QUEUE_STALE_ATTEMPT({
        what: `attempt ${attempt} wrote ${key}, but ${holder} is at attempt ${current}`,
        data: { key, attempt, current },
      });
    }
  }
}

function countKeys(partitions: ReadonlyMap<string, ReadonlyMap<string, Stored>>): number {
  let count = 0;
  for (const stored of partitions.values()) count += stored.size;
  return count;
}

function badSnapshot(what: string): Error {
  return transferErrors.VERL_QUEUE_BAD_SNAPSHOT({ what: `the snapshot cannot be restored: ${what}` });
}

function closed(): Error {
  return transferErrors.VERL_QUEUE_CLOSED({ what: "the queue is closed" });
}
