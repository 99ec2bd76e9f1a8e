import type { RunMemory } from "../../core/trainer/index.js";
import type { OperatorTimes } from "./operator-trace.js";
import type { ProfileRecorder, Stretch } from "./recorder.js";

/** Time as a mean over the measured steps, in seconds. */
export interface Share {
  readonly name: string;
  readonly seconds: number;
  /** Of the whole that it is a part of, 0 to 1. */
  readonly share: number;
}

export interface StageReport extends Share {
  /** Name of its metric, `timing_s/…`. */
  readonly timer: string;
  /** Largest resident set while it ran. */
  readonly peakBytes: number;
  /** What engine and server said they did, and the rest. */
  readonly parts: readonly (Share & { readonly calls: number })[];
}

export interface ProfileReport {
  /** Steps that were measured, after those that warm up. */
  readonly steps: number;
  readonly warmUp: number;
  readonly stepSeconds: number;
  readonly stages: readonly StageReport[];
  /** All steps, warming up included. */
  readonly operators: readonly {
    readonly purpose: string;
    readonly seconds: number;
    readonly parts: readonly Share[];
    readonly kinds: readonly Share[];
  }[];
  readonly memory: {
    readonly peakBytes: number;
    /** The stage in which the peak was; null: outside of steps. */
    readonly peakStage: string | null;
    /** What engines and servers say that they hold at that time. */
    readonly parts: readonly { readonly owner: string; readonly name: string; readonly bytes: number }[];
    /** The rest of the peak: activations beyond the estimate, memory that onnxruntime keeps, the program itself. */
    readonly restBytes: number;
  };
}

const LABELS: Readonly<Record<string, string>> = {
  gen: "sampling and reward",
  gen_max: "greedy baselines",
  old_log_prob: "old log-probs",
  ref: "reference",
  values: "values",
  adv: "advantages",
  update_critic: "update critic",
  update_actor: "update",
  dump_rollout_generations: "trajectories written",
  save_checkpoint: "checkpoint",
  update_weights: "weight sync",
};

export function stageLabel(timer: string): string {
  return LABELS[timer] ?? timer;
}

/** What a recorder saw of `steps` steps, the first `warmUp` of them left out. */
export function profileReport(
  recorder: Pick<ProfileRecorder, "stages" | "spans" | "memory">,
  operators: readonly OperatorTimes[],
  memory: Pick<RunMemory, "parts">,
  warmUp: number,
): ProfileReport {
  const steps = recorder.stages.filter(({ name }) => name === "step");
  const measured = steps.slice(Math.min(warmUp, steps.length - 1));
  const since = measured[0]?.start ?? 0;
  const inStep = ({ within, start }: Stretch) => within[0] === "step" && start >= since;
  const stages = recorder.stages.filter((stage) => stage.within.length === 1 && inStep(stage));
  const mean = (stretches: readonly Stretch[]) =>
    stretches.reduce((sum, { start, end }) => sum + (end - start) / 1000, 0) / Math.max(1, measured.length);
  const stepSeconds = mean(measured);
  const reports = [...byName(stages)].map(([timer, own]): StageReport => {
    const seconds = mean(own);
    const spans = recorder.spans.filter((span) => inStep(span) && span.within[1] === timer);
    const parts = [...byName(spans)].map(([name, of]) => ({
      name,
      seconds: mean(of),
      share: ratio(mean(of), seconds),
      calls: of.length / measured.length,
    }));
    return {
      name: stageLabel(timer),
      timer,
      seconds,
      share: ratio(seconds, stepSeconds),
      peakBytes: peakIn(own),
      parts: withRest(parts, seconds),
    };
  });
  const rest = stepSeconds - reports.reduce((sum, { seconds }) => sum + seconds, 0);
  const other: StageReport = {
    name: "the rest",
    timer: "",
    seconds: rest,
    share: ratio(rest, stepSeconds),
    peakBytes: 0,
    parts: [],
  };
  return {
    steps: measured.length,
    warmUp: steps.length - measured.length,
    stepSeconds,
    stages: rest > 0 && reports.length > 0 ? [...reports, other] : reports,
    operators: operators.map(({ purpose, seconds, parts, kinds }) => ({
      purpose,
      seconds,
      parts: shares(parts, seconds),
      kinds: shares(kinds, seconds),
    })),
    memory: memoryOf(),
  };

  function peakIn(stretches: readonly Stretch[]): number {
    const inside = recorder.memory.filter(({ at }) => stretches.some(({ start, end }) => at >= start && at <= end));
    return inside.reduce((peak, { bytes }) => Math.max(peak, bytes), 0);
  }

  function memoryOf(): ProfileReport["memory"] {
    const peak = recorder.memory.reduce((a, b) => (b.bytes > a.bytes ? b : a), { at: 0, bytes: 0 });
    const stage = recorder.stages.find(
      ({ within, start, end }) => within.length === 1 && peak.at >= start && peak.at <= end,
    );
    const during = stage?.name === "gen" || stage?.name === "gen_max" ? "sampling" : "training";
    const parts = memory.parts
      .filter((part) => part.bytes > 0 && (part.during === "always" || part.during === during))
      .map(({ owner, name, bytes }) => ({ owner, name, bytes }));
    const known = parts.reduce((sum, { bytes }) => sum + bytes, 0);
    return {
      peakBytes: peak.bytes,
      peakStage: stage ? stageLabel(stage.name) : null,
      parts,
      restBytes: Math.max(0, peak.bytes - known),
    };
  }
}

function byName(stretches: readonly Stretch[]): Map<string, Stretch[]> {
  const groups = new Map<string, Stretch[]>();
  for (const stretch of stretches) {
    const group = groups.get(stretch.name);
    if (group) group.push(stretch);
    else groups.set(stretch.name, [stretch]);
  }
  return groups;
}

/** Parts from the largest on, and what they leave of the whole. */
function withRest(parts: readonly (Share & { readonly calls: number })[], seconds: number): StageReport["parts"] {
  if (parts.length === 0) return [];
  const sorted = parts.toSorted((a, b) => b.seconds - a.seconds);
  const rest = seconds - parts.reduce((sum, part) => sum + part.seconds, 0);
  return rest > 0.01 * seconds
    ? [...sorted, { name: "the rest", seconds: rest, share: ratio(rest, seconds), calls: 0 }]
    : sorted;
}

function shares(times: ReadonlyMap<string, number>, whole: number): Share[] {
  return [...times]
    .map(([name, seconds]) => ({ name, seconds, share: ratio(seconds, whole) }))
    .sort((a, b) => b.seconds - a.seconds);
}

const ratio = (part: number, whole: number) => (whole > 0 ? part / whole : 0);
