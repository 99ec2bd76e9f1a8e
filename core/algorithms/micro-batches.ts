/**
 * Cutting a batch into micro-batches under a token budget. Their number is the least that the total allows; their work
 * (see `seqlen-balancing.ts`) is evened out. The budget is a promise here: when balancing by work would put too many
 * tokens into one micro-batch, there are more micro-batches. (`strict: false` is the reference's plan, in which the
 * budget only fixes the number.)
 */
import { errors } from "./errors.js";
import { balancedPartitions } from "./karmarkar-karp.js";
import { sequenceWorkload } from "./seqlen-balancing.js";

export interface MicroBatchOptions {
  /** Most tokens per micro-batch, padding aside. */
  readonly maxTokens: number;
  /** Whether `maxTokens` holds for every micro-batch; default true. */
  readonly strict?: boolean;
  /** Least number of micro-batches (the maximum over ranks, so that all run the same number). Default 1. */
  readonly minMicroBatches?: number;
  /** The number is rounded up to a multiple of this. Default 1. */
  readonly multipleOf?: number;
  /** So many consecutive rows stay together (2 for preference pairs). Default 1. */
  readonly groupSize?: number;
  /** Small micro-batches first and last, big ones in the middle; default true. Otherwise as partitioned. */
  readonly interleave?: boolean;
}

/** Row indices of each micro-batch; every row once. */
export function planMicroBatches(lengths: ArrayLike<number>, options: MicroBatchOptions): number[][] {
  const groups = groupRows(lengths, options);
  if (groups.length === 0) return [];
  const total = groups.reduce((sum, g) => sum + g.tokens, 0);
  const step = options.multipleOf ?? 1;
  const fewest = Math.min(groups.length, ceilDiv(total, options.maxTokens));
  let count = roundUp(Math.max(fewest, options.minMicroBatches ?? 1, 1), step);
  const work = groups.map((g) => g.work);
  for (; ; count += step) {
    if (count > groups.length) {
      throw errors.VERL_ALGORITHMS_BAD_VALUE({
        what: `${count} micro-batches are needed, but there are only ${groups.length} sequences (or groups) to fill them`,
        why: `at least ${options.minMicroBatches ?? 1}, a multiple of ${step}, at most ${options.maxTokens} tokens each`,
        fix: "Raise the token budget, or use larger mini-batches.",
      });
    }
    const parts = balancedPartitions(work, count);
    const fits = parts.every((part) => part.reduce((sum, g) => sum + groups[g].tokens, 0) <= options.maxTokens);
    if (fits || options.strict === false) {
      const ordered = options.interleave === false ? parts : interleave(parts, work);
      return ordered.map((part) => part.flatMap((g) => groups[g].rows));
    }
  }
}

/** Where each row went: `inverse[row]` is its position in `parts.flat()`. */
export function inverseOrder(parts: readonly (readonly number[])[]): number[] {
  const inverse: number[] = [];
  parts.flat().forEach((row, position) => {
    inverse[row] = position;
  });
  return inverse;
}

/** Results computed in the order of `parts.flat()`, back in the order of the rows. */
export function restoreOrder<T>(results: readonly T[], parts: readonly (readonly number[])[]): T[] {
  return inverseOrder(parts).map((position) => results[position]);
}

export function ceilDiv(a: number, b: number): number {
  return Math.ceil(a / b);
}

/** The least multiple of `step` that is not below `a`. */
export function roundUp(a: number, step: number): number {
  return ceilDiv(a, step) * step;
}

interface Group {
  readonly rows: number[];
  readonly tokens: number;
  readonly work: number;
}

function groupRows(lengths: ArrayLike<number>, { groupSize = 1, maxTokens, strict }: MicroBatchOptions): Group[] {
  if (lengths.length % groupSize !== 0) {
    throw errors.VERL_ALGORITHMS_SHAPE({
      what: `${lengths.length} rows are not a whole number of groups of ${groupSize}`,
    });
  }
  const groups: Group[] = [];
  for (let start = 0; start < lengths.length; start += groupSize) {
    const rows = Array.from({ length: groupSize }, (_, j) => start + j);
    const tokens = rows.reduce((sum, row) => sum + lengths[row], 0);
    const widest = strict === false ? Math.max(...rows.map((row) => lengths[row])) : tokens;
    if (widest > maxTokens) {
      throw errors.VERL_ALGORITHMS_OVER_BUDGET({
        what: `row ${start} has ${widest} tokens, a micro-batch holds at most ${maxTokens}`,
        why: groupSize > 1 ? `${groupSize} consecutive rows stay together` : undefined,
      });
    }
    groups.push({ rows, tokens, work: rows.reduce((sum, row) => sum + sequenceWorkload(lengths[row]), 0) });
  }
  return groups;
}

/** Descending by work, then the even positions backwards followed by the odd ones. */
function interleave(parts: readonly number[][], work: readonly number[]): number[][] {
  const sum = (part: readonly number[]) => part.reduce((total, g) => total + work[g], 0);
  const sorted = parts.map((part) => ({ part, total: sum(part) }));
  sorted.sort((a, b) => b.total - a.total || b.part[0] - a.part[0]);
  const even = sorted.filter((_, i) => i % 2 === 0).reverse();
  const odd = sorted.filter((_, i) => i % 2 === 1);
  return [...even, ...odd].map(({ part }) => part);
}
