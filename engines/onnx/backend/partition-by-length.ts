import type { SequenceBatch } from "../../../core/plugin.js";
import { type AttentionSize, fitsAttention } from "./attention-plan.js";

/**
 * Cut a batch so that what attention keeps of a part fits into `bytes`. Sequences of like length go together; `groupSize`
 * consecutive rows stay together. A single group may exceed the bound.
 */
export function partitionByLength(
  batch: SequenceBatch,
  groupSize: number,
  config: AttentionSize,
  bytes: number,
): readonly (readonly number[])[] {
  const groups: { rows: number[]; longest: number }[] = [];
  for (let start = 0; start < batch.size; start += groupSize) {
    const rows = Array.from({ length: Math.min(groupSize, batch.size - start) }, (_, i) => start + i);
    groups.push({ rows, longest: Math.max(...rows.map((b) => batch.offsets[b + 1] - batch.offsets[b])) });
  }
  const fits = (sequences: number, longest: number) => fitsAttention(config, { sequences, longest }, bytes);
  const longestOfAll = groups.reduce((n, g) => Math.max(n, g.longest), 0);
  if (fits(batch.size, longestOfAll)) return [groups.flatMap((g) => g.rows)];

  const parts: { rows: number[]; longest: number }[] = [];
  for (const group of groups.toSorted((a, b) => b.longest - a.longest)) {
    const part = parts.at(-1);
    if (part && fits(part.rows.length + group.rows.length, part.longest)) part.rows.push(...group.rows);
    else parts.push({ rows: [...group.rows], longest: group.longest });
  }
  return parts.map(({ rows }) => rows.sort((a, b) => a - b));
}
