import { isDeepStrictEqual } from "node:util";
import { reasonOf } from "../../host/errors.js";
import { dataErrors } from "../errors.js";

/** Free values that travel with a batch. Every batch has its own deep copy. */
export type BatchMeta = Record<string, unknown>;

export function copyMeta(meta: Readonly<BatchMeta>): BatchMeta {
  try {
    return structuredClone(meta);
  } catch (error) {
    throw dataErrors.VERL_BATCH_MISMATCH({
      what: "meta holds a value that cannot be copied",
      why: reasonOf(error),
      fix: "Keep data in meta, not functions.",
    });
  }
}

/** Both together; a shared key must hold equal values. */
export function uniteMeta(a: Readonly<BatchMeta>, b: Readonly<BatchMeta>): BatchMeta {
  const united: BatchMeta = { ...a };
  for (const [key, value] of Object.entries(b)) {
    if (Object.hasOwn(united, key) && !isDeepStrictEqual(united[key], value)) {
      throw dataErrors.VERL_BATCH_MISMATCH({ what: `meta.${key} has different values in the batches` });
    }
    united[key] = value;
  }
  return united;
}

/** Like {@link uniteMeta}, except that `metrics` of all batches are gathered into one list for each name. */
export function concatMeta(metas: readonly Readonly<BatchMeta>[]): BatchMeta {
  const metrics: Record<string, unknown[]> = {};
  let united: BatchMeta = {};
  for (const { metrics: own, ...rest } of metas) {
    united = uniteMeta(united, rest);
    for (const record of Array.isArray(own) ? own : [own ?? {}]) {
      for (const [name, value] of Object.entries(record as object)) {
        if (!Object.hasOwn(metrics, name)) metrics[name] = [];
        metrics[name].push(...(Array.isArray(value) ? value : [value]));
      }
    }
  }
  return metas.some((meta) => meta.metrics) ? { ...united, metrics } : united;
}
