import { isDeepStrictEqual } from "node:util";
import type { JsonValue } from "../../host/types.js";
import { dataErrors } from "../errors.js";

/** Keys and tags of a batch whose rows stay in the queue; what a trainer passes around instead of tensors. */
export interface KVBatchMeta {
  readonly partition: string;
  /** Unique. */
  readonly keys: readonly string[];
  /** One per key. */
  readonly tags: readonly Readonly<Record<string, JsonValue>>[];
  /** Field names known to exist for every key. */
  readonly fields: readonly string[];
  readonly extraInfo: Readonly<Record<string, unknown>>;
}

/** Make a batch; keys must be unique and have one tag each. */
export function kvBatchMeta(
  batch: Pick<KVBatchMeta, "partition" | "keys"> & Partial<Omit<KVBatchMeta, "partition" | "keys">>,
): KVBatchMeta {
  const { partition, keys } = batch;
  const tags = batch.tags ?? keys.map(() => ({}));
  if (tags.length !== keys.length) throw mismatch(`there are ${keys.length} keys and ${tags.length} tags`);
  const seen = new Set<string>();
  for (const key of keys) {
    if (seen.has(key)) throw mismatch(`the key ${key} occurs twice`);
    seen.add(key);
  }
  return {
    partition,
    keys: [...keys],
    tags: [...tags],
    fields: [...(batch.fields ?? [])],
    extraInfo: structuredClone(batch.extraInfo ?? {}),
  };
}

export function kvBatchLength(batch: KVBatchMeta): number {
  return batch.keys.length;
}

/** The part of a batch with these keys, in their order. */
export function selectKeys(batch: KVBatchMeta, keys: readonly string[]): KVBatchMeta {
  const at = new Map(batch.keys.map((key, i) => [key, i]));
  const indices = keys.map((key) => {
    const index = at.get(key);
    if (index === undefined) {
      throw dataErrors.VERL_BATCH_UNKNOWN_COLUMN({
        what: `the batch of partition ${batch.partition} has no key ${key}`,
      });
    }
    return index;
  });
  return pick(batch, indices);
}

/** The batch with its rows at new places: row `order[i]` becomes row i. `order` is a permutation. */
export function reorderKeys(batch: KVBatchMeta, order: ArrayLike<number>): KVBatchMeta {
  const indices = Array.from(order);
  const n = batch.keys.length;
  if (
    indices.length !== n ||
    new Set(indices).size !== n ||
    indices.some((i) => !(Number.isInteger(i) && i >= 0 && i < n))
  ) {
    throw dataErrors.VERL_BATCH_INDEX({ what: `the order is no permutation of the batch's ${n} rows` });
  }
  return pick(batch, indices);
}

/** `count` consecutive parts whose sizes differ by one at most; the first ones take the remainder. */
export function chunkKeys(batch: KVBatchMeta, count: number): KVBatchMeta[] {
  const n = batch.keys.length;
  if (!Number.isInteger(count) || count < 1) {
    throw dataErrors.VERL_BATCH_INDEX({ what: `cannot cut a batch into ${count} chunks` });
  }
  const [size, remainder] = [Math.floor(n / count), n % count];
  const chunks: KVBatchMeta[] = [];
  for (let c = 0, start = 0; c < count; c++) {
    const end = start + size + (c < remainder ? 1 : 0);
    chunks.push(pick(batch, range(start, end)));
    start = end;
  }
  return chunks;
}

/** Join batches of one partition with the same fields; empty ones are left out. `extraInfo` must not disagree. */
export function concatKeys(batches: readonly KVBatchMeta[]): KVBatchMeta {
  const parts = batches.filter((batch) => batch.keys.length > 0);
  if (parts.length === 0) {
    if (batches.length > 0) return kvBatchMeta(batches[0]);
    throw mismatch("there is no batch to concatenate");
  }
  const [first] = parts;
  const extraInfo: Record<string, unknown> = {};
  for (const part of parts) {
    if (part.partition !== first.partition) {
      throw mismatch(`partitions differ: ${first.partition} and ${part.partition}`);
    }
    if (!isDeepStrictEqual([...part.fields].sort(), [...first.fields].sort())) {
      throw mismatch(`fields differ: [${first.fields.join(", ")}] and [${part.fields.join(", ")}]`);
    }
    for (const [name, value] of Object.entries(part.extraInfo)) {
      if (Object.hasOwn(extraInfo, name) && !isDeepStrictEqual(extraInfo[name], value)) {
        throw mismatch(`extraInfo.${name} has different values`);
      }
      extraInfo[name] = value;
    }
  }
  return kvBatchMeta({
    partition: first.partition,
    keys: parts.flatMap((part) => part.keys),
    tags: parts.flatMap((part) => part.tags),
    fields: first.fields,
    extraInfo,
  });
}

function pick(batch: KVBatchMeta, indices: readonly number[]): KVBatchMeta {
  return kvBatchMeta({ ...batch, keys: indices.map((i) => batch.keys[i]), tags: indices.map((i) => batch.tags[i]) });
}

function range(start: number, end: number): number[] {
  return Array.from({ length: end - start }, (_, i) => start + i);
}

function mismatch(what: string): Error {
  return dataErrors.VERL_BATCH_MISMATCH({ what });
}
