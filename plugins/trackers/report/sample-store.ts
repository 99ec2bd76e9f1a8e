import type { TrajectoryRecord } from "../../../core/plugin.js";

export interface SampleLimits {
  /** Trajectories kept of one step and split. */
  readonly perStep: number;
  /** Steps kept of one split: the first, the latest, and some between. */
  readonly steps: number;
  /** Response tokens kept of one trajectory; the rest is counted. */
  readonly tokens: number;
  /** Characters kept of prompts and other texts. */
  readonly characters: number;
}

/** A trajectory as the page holds it. */
export interface Sample {
  readonly key: string;
  readonly step: number;
  readonly split: "train" | "val";
  readonly source: string;
  readonly prompt: string;
  readonly tokens: readonly string[];
  /** One digit per token. */
  readonly mask: string;
  /** Two decimals per token; null where there are none. */
  readonly logProbs: readonly number[] | null;
  /** Tokens beyond those kept. */
  readonly more: number;
  readonly truth: string;
  readonly score: number | null;
  readonly extra: readonly (readonly [string, string])[];
}

const LIMITS: SampleLimits = { perStep: 8, steps: 10, tokens: 400, characters: 4000 };

/** Sampled trajectories in bounded memory: a few of every kept step; steps thin out towards the middle of the run. */
export class SampleStore {
  readonly #steps: Record<"train" | "val", Map<number, Sample[]>> = { train: new Map(), val: new Map() };
  readonly #limits: SampleLimits;

  constructor(limits: Partial<SampleLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits };
  }

  add(records: readonly TrajectoryRecord[]): void {
    for (const record of records) {
      const steps = this.#steps[record.split];
      const samples = steps.get(record.step) ?? [];
      if (samples.length >= this.#limits.perStep) continue;
      samples.push(this.#trim(record));
      steps.set(record.step, samples);
      if (steps.size > this.#limits.steps) steps.delete(mostCrowded([...steps.keys()]));
    }
  }

  all(): Sample[] {
    return Object.values(this.#steps).flatMap((steps) => [...steps.values()].flat());
  }

  #trim(record: TrajectoryRecord): Sample {
    const { tokens: maxTokens, characters } = this.#limits;
    const cut = (text: string) => (text.length > characters ? `${text.slice(0, characters)}…` : text);
    // Without token texts the whole response stands as one token.
    const bare = record.tokens.length === 0 && record.responseText !== "";
    const tokens = bare ? [record.responseText] : record.tokens;
    return {
      key: record.key,
      step: record.step,
      split: record.split,
      source: record.dataSource,
      prompt: cut(record.promptText),
      tokens: tokens.slice(0, maxTokens).map(cut),
      mask: bare ? "1" : record.mask.slice(0, maxTokens).join(""),
      logProbs:
        bare || !record.logProbs ? null : record.logProbs.slice(0, maxTokens).map((p) => Math.round(p * 100) / 100),
      more: Math.max(0, tokens.length - maxTokens),
      truth: cut(textOf(record.groundTruth)),
      score: record.score,
      extra: Object.entries(record.extra).map(([name, value]) => [name, cut(textOf(value)).slice(0, 200)] as const),
    };
  }
}

/** The step whose removal leaves the smallest relative gap; never the first or the last two. */
function mostCrowded(steps: readonly number[]): number {
  const sorted = [...steps].sort((a, b) => a - b);
  const end = sorted[sorted.length - 1] + 1;
  let [best, bestGap] = [sorted[1], Number.POSITIVE_INFINITY];
  for (let i = 1; i < sorted.length - 2; i++) {
    // Old steps may lie further apart than recent ones.
    const gap = (sorted[i + 1] - sorted[i - 1]) / (end - sorted[i]);
    if (gap < bestGap) [best, bestGap] = [sorted[i], gap];
  }
  return best;
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
