import { createHash } from "node:crypto";
import type { Dataset } from "../../data/index.js";

/** Tells data sets with other prompts or answers apart, as a resumed run must. */
export function dataFingerprint(dataset: Pick<Dataset, "length" | "at">): string {
  const hash = createHash("sha256");
  for (let i = 0; i < dataset.length; i++) {
    const { messages, row } = dataset.at(i);
    hash.update(JSON.stringify([messages, row.reward_model ?? null], wide));
  }
  return hash.digest("hex").slice(0, 16);
}

/** Parquet columns may hold integers of 64 bits. */
const wide = (_: string, value: unknown) => (typeof value === "bigint" ? String(value) : value);
