/**
 * Forward KL on the teacher's top-k tokens (GKD, 2306.13649; overlap diagnostics 2604.13016). Per position, with q_k the
 * teacher's probability of its k-th token and s_k the student's log-probability of the same token over the whole vocabulary:
 *
 *   D = Σ_k q_k·(log q_k − s_k)      loss max(D, 0), for the masses do not sum to 1
 *
 * Both log-probabilities are floored at `logProbMinClamp` if set; a floored student value has no gradient. The student's
 * come as outputs `logProbAtId0` …, the teacher's as columns `teacherLogProb0` …; with `ownTopHasId0` … (1 where the token is
 * among the student's own top k) the overlap is reported.
 */
import type { LossAlgebra, LossMetric, OutputName, Value } from "../algebra.js";
import { both, denominator, indicator, masked } from "../masked-algebra.js";
import { meanMetric } from "./policy-terms.js";

export interface TopkOptions {
  /** k */
  readonly topk: number;
  /** Null: no floor. */
  readonly logProbMinClamp: number | null;
  /** Whether the batch carries `ownTopHasId…`. */
  readonly hasOverlap: boolean;
}

/** Per position, [R] each. */
export interface TopkTerms {
  /** D, before it is floored at 0. */
  readonly divergence: Value;
  readonly studentMass: Value;
  readonly teacherMass: Value;
  readonly overlap: {
    /** How many of the teacher's tokens are in the student's own top k. */
    readonly count: Value;
    /** Mean of −q·(log q − s) on those tokens; 0 without any. */
    readonly advantage: Value;
  } | null;
}

const indices = ({ topk }: Pick<TopkOptions, "topk">) => Array.from({ length: topk }, (_, k) => k);
export const topkOutputs = (options: TopkOptions): OutputName[] =>
  indices(options).map((k) => `logProbAtId${k}` as const);
export const topkColumns = (options: TopkOptions): string[] =>
  indices(options).flatMap((k) => [`teacherLogProb${k}`, ...(options.hasOverlap ? [`ownTopHasId${k}`] : [])]);

export function topkTerms(g: LossAlgebra, options: TopkOptions): TopkTerms {
  const { logProbMinClamp: floor, hasOverlap } = options;
  const floored = (x: Value) => (floor === null ? x : g.clamp(x, floor, Number.POSITIVE_INFINITY));
  const sum = (of: (k: number) => Value) =>
    indices(options)
      .map(of)
      .reduce((a, b) => g.add(a, b));
  const student = (k: number) => g.output(`logProbAtId${k}`);
  const teacher = (k: number) => g.column(`teacherLogProb${k}`);
  const terms = indices(options).map((k) => {
    const logQ = floored(teacher(k));
    return g.mul(g.exp(logQ), g.sub(logQ, floored(student(k))));
  });
  const shared = (k: number) => g.column(`ownTopHasId${k}`);
  const overlap = () => {
    const count = sum(shared);
    const gain = sum((k) => g.neg(g.where(shared(k), g.stopGradient(terms[k]), g.constant(0))));
    return { count, advantage: g.div(gain, denominator(g, count)) };
  };
  return {
    divergence: sum((k) => terms[k]),
    studentMass: sum((k) => g.exp(g.stopGradient(student(k)))),
    teacherMass: sum((k) => g.exp(teacher(k))),
    overlap: hasOverlap ? overlap() : null,
  };
}

/** Masses and overlap over the positions that count. */
export function topkMetrics(g: LossAlgebra, terms: TopkTerms, topk: number): Record<string, LossMetric> {
  const spread = (name: string, value: Value): Record<string, LossMetric> => ({
    [`distillation/${name}`]: meanMetric(g, value),
    [`distillation/${name}_min`]: { value, reduction: "min" },
    [`distillation/${name}_max`]: { value, reduction: "max" },
  });
  const masses = { ...spread("student_mass", terms.studentMass), ...spread("teacher_mass", terms.teacherMass) };
  if (!terms.overlap) return masses;
  const { count, advantage } = terms.overlap;
  const overlapping = both(g, g.greater(count, g.constant(0)), indicator(g));
  const mean = g.div(g.sum(masked(g, advantage, overlapping)), denominator(g, g.sum(overlapping)));
  return {
    ...masses,
    "distillation/overlap_ratio": meanMetric(g, g.div(count, g.constant(topk))),
    "distillation/overlap_token_advantage": { value: mean, reduction: "mean" },
  };
}
