/**
 * Forward KL on the teacher's top-k tokens (GKD, 2306.13649; overlap diagnostics 2604.13016). Per position, with
 * q = exp(teacher log-probability) and s = the student's log-probability at the same ids, over the full vocabulary:
 *
 *   loss = max(Σ_k q·(log q − s), 0)
 *   ∂/∂z_j = p_j·Σ_active q − q_j·[j active]
 *
 * Both log-probabilities are floored at `minLogProb` if set; an id whose student value was floored is not active. The
 * masses do not sum to 1, hence the floor of the loss at 0.
 */
import type { MetricValue } from "../algebra.js";
import { rowStatistics } from "../logits.js";
import { maskedMean } from "../masked.js";

export interface TopkTeacher {
  /** Ids of position t at `[t·k, (t+1)·k)`. */
  readonly ids: ArrayLike<number>;
  readonly logProbs: ArrayLike<number>;
  readonly k: number;
}

export interface TopkPosition {
  /** Before the floor at 0. */
  readonly loss: number;
  readonly studentMass: number;
  readonly teacherMass: number;
  /** How many of the teacher's ids are in the student's own top k. */
  readonly overlapCount: number;
  /** Mean of −q·(log q − s) on those ids; 0 without any. */
  readonly overlapTokenAdvantage: number;
}

/** Values of one position from the student's logits, [V]. With `gradient`, [V], adds upstream · ∂loss/∂logits to it. */
export function topkForwardKl(
  logits: ArrayLike<number>,
  teacher: TopkTeacher,
  position: number,
  minLogProb: number | null,
  backward?: { readonly gradient: Float64Array; readonly upstream: number },
): TopkPosition {
  const { k } = teacher;
  const { logProbs } = rowStatistics(logits, logits.length, 0, 0);
  const floor = minLogProb ?? Number.NEGATIVE_INFINITY;
  const own = new Set([...logProbs.keys()].sort((a, b) => logProbs[b] - logProbs[a] || a - b).slice(0, k));
  let [loss, studentMass, teacherMass, overlapCount, advantage, activeMass] = [0, 0, 0, 0, 0, 0];
  for (let j = position * k; j < (position + 1) * k; j++) {
    const [id, teacherLogProb] = [teacher.ids[j], teacher.logProbs[j]];
    studentMass += Math.exp(logProbs[id]);
    teacherMass += Math.exp(teacherLogProb);
    const logQ = Math.max(teacherLogProb, floor);
    const q = Math.exp(logQ);
    const term = q * (logQ - Math.max(logProbs[id], floor));
    loss += term;
    if (own.has(id)) {
      overlapCount++;
      advantage -= term;
    }
    if (logProbs[id] >= floor) {
      activeMass += q;
      if (backward) backward.gradient[id] -= backward.upstream * q;
    }
  }
  if (backward) {
    logProbs.forEach((lp, v) => {
      backward.gradient[v] += backward.upstream * Math.exp(lp) * activeMass;
    });
  }
  const overlapTokenAdvantage = overlapCount > 0 ? advantage / overlapCount : 0;
  return { loss, studentMass, teacherMass, overlapCount, overlapTokenAdvantage };
}

/** Losses per position, floored at 0, and the metrics over positions that count. */
export function topkMetrics(
  positions: readonly TopkPosition[],
  mask: ArrayLike<number>,
  k: number,
): { readonly losses: Float64Array; readonly metrics: Record<string, MetricValue> } {
  const counted = positions.filter((_, t) => mask[t]);
  const overlapping = counted.filter((p) => p.overlapCount > 0);
  const mean = (of: (p: TopkPosition) => number) => maskedMean(positions.map(of), mask);
  const values = (of: (p: TopkPosition) => number) => counted.map(of);
  const metric = (value: number, reduction: MetricValue["reduction"] = "mean", weight = counted.length) => ({
    value,
    reduction,
    weight,
  });
  const advantage = overlapping.reduce((sum, p) => sum + p.overlapTokenAdvantage, 0);
  return {
    losses: Float64Array.from(positions, (p) => Math.max(p.loss, 0)),
    metrics: {
      "distillation/student_mass": metric(mean((p) => p.studentMass)),
      "distillation/student_mass_min": metric(Math.min(...values((p) => p.studentMass)), "min"),
      "distillation/student_mass_max": metric(Math.max(...values((p) => p.studentMass)), "max"),
      "distillation/teacher_mass": metric(mean((p) => p.teacherMass)),
      "distillation/teacher_mass_min": metric(Math.min(...values((p) => p.teacherMass)), "min"),
      "distillation/teacher_mass_max": metric(Math.max(...values((p) => p.teacherMass)), "max"),
      "distillation/overlap_ratio": metric(mean((p) => p.overlapCount) / k),
      "distillation/overlap_token_advantage": metric(
        overlapping.length > 0 ? advantage / overlapping.length : 0,
        "mean",
        overlapping.length,
      ),
    },
  };
}
