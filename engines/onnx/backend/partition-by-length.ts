import type { ModelConfig } from "../../../core/formats/index.js";
import type { SequenceBatch } from "../../../core/plugin.js";

/**
 * Cut a batch so that the attention weights of a part, heads · T² per sequence and layer with T its longest, fit into
 * memory. Sequences of like length go together; `groupSize` consecutive rows stay together. A single group may exceed the
 * bound.
 */
export function partitionByLength(
  batch: SequenceBatch,
  groupSize: number,
  { numHeads, numLayers }: Pick<ModelConfig, "numHeads" | "numLayers">,
  bytes: number,
): readonly (readonly number[])[] {
  const groups: { rows: number[]; longest: number }[] = [];
  for (let start = 0; start < batch.size; start += groupSize) {
    const rows = Array.from({ length: Math.min(groupSize, batch.size - start) }, (_, i) => start + i);
    groups.push({ rows, longest: Math.max(...rows.map((b) => batch.offsets[b + 1] - batch.offsets[b])) });
  }
  const cost = (sequences: number, longest: number) =>
    sequences * longest ** 2 * numHeads * numLayers * Float32Array.BYTES_PER_ELEMENT;
  const longestOfAll = groups.reduce((n, g) => Math.max(n, g.longest), 0);
  if (cost(batch.size, longestOfAll) <= bytes) return [groups.flatMap((g) => g.rows)];

  const parts: { rows: number[]; longest: number }[] = [];
  for (const group of groups.toSorted((a, b) => b.longest - a.longest)) {
    const part = parts.at(-1);
    if (part && cost(part.rows.length + group.rows.length, part.longest) <= bytes) part.rows.push(...group.rows);
    else parts.push({ rows: [...group.rows], longest: group.longest });
  }
  return parts.map(({ rows }) => rows.sort((a, b) => a - b));
}
