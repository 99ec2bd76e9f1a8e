import type { JsonValue } from "../host/types.js";

/** Keys and tags of a batch whose rows stay in the queue; what a trainer passes around instead of tensors. */
export interface KVBatchMeta {
  readonly partition: string;
  readonly keys: readonly string[];
  /** One per key. */
  readonly tags: readonly Readonly<Record<string, JsonValue>>[];
  /** Field names known to exist for every key. */
  readonly fields: readonly string[];
  readonly extraInfo: Readonly<Record<string, unknown>>;
}
