import type { TrajectoryRecord } from "./tracker.js";

/** A run of tokens that the policy sampled, or that somebody else wrote: [start, end). */
export interface Segment {
  readonly sampled: boolean;
  readonly start: number;
  readonly end: number;
}

/** The response in turns: what the policy wrote, and what tools and users put between. */
export function segmentsOf({ mask }: Pick<TrajectoryRecord, "mask">): Segment[] {
  const segments: Segment[] = [];
  for (let start = 0; start < mask.length; ) {
    let end = start + 1;
    while (end < mask.length && (mask[end] !== 0) === (mask[start] !== 0)) end++;
    segments.push({ sampled: mask[start] !== 0, start, end });
    start = end;
  }
  return segments;
}

type Sampled = Pick<TrajectoryRecord, "mask" | "logProbs" | "trainerLogProbs">;

/** log p of the trainer − log p of the sampler of every token, 0 where nothing was sampled; null where one is unknown. */
export function tokenGaps({ mask, logProbs, trainerLogProbs }: Sampled): number[] | null {
  if (!logProbs || !trainerLogProbs) return null;
  return mask.map((m, t) => (m === 0 ? 0 : trainerLogProbs[t] - logProbs[t]));
}

/** Mean and maximum of the absolute gap over sampled tokens, and the token with the largest; null where none is known. */
export function gapStatistics(record: Sampled): { readonly mean: number; readonly max: number; at: number } | null {
  const gaps = tokenGaps(record);
  if (!gaps) return null;
  let [sum, count, at] = [0, 0, -1];
  gaps.forEach((gap, t) => {
    if (record.mask[t] === 0) return;
    sum += Math.abs(gap);
    count++;
    if (at < 0 || Math.abs(gap) > Math.abs(gaps[at])) at = t;
  });
  return count === 0 ? null : { mean: sum / count, max: Math.abs(gaps[at]), at };
}
