import { GenerationBudget } from "../../algorithms/index.js";
import type { JsonValue } from "../../host/types.js";
import { filterGroups } from "../../transfer/index.js";
import { finalRows, type TrainingRow } from "../step/training-row.js";
import type { EndedGroup } from "./sampled-group.js";

export interface FilterSettings {
  readonly metric: string;
  /** Stop after so many batches of prompts; 0 = no bound but the deadline. */
  readonly maxBatches: number;
  /** Batches of prompts in flight at most. */
  readonly maxInflightBatches: number;
  /** Prompts of a batch. */
  readonly batchSize: number;
  /** At the bound: end the run, or go on with the groups that there are. */
  readonly onExhausted: "fail" | "continue";
}

/**
 * Dynamic sampling (Yu et al., "DAPO", 2025) for one step: groups whose samples all have the same metric are dropped, and
 * twice as many prompts are asked for. Prompts are handed out in rounds and each round is waited for, so the number of
 * prompts that a step draws never depends on timing.
 */
export class DynamicSampling {
  readonly budget: GenerationBudget;
  readonly #shared = new Map<number, number>();
  #unscored = 0;
  #prompts = 0;

  constructor(private readonly settings: FilterSettings) {
    this.budget = new GenerationBudget(settings.maxBatches);
  }

  /**
   * Judge the groups of a round of `prompts`; returns those with signal. A group without any score has none; a group
   * without trajectories cannot be judged and stays.
   */
  judge(groups: readonly EndedGroup[], prompts: number): { kept: EndedGroup[]; dropped: number } {
    const { metric } = this.settings;
    const judged = groups.map((group) => ({ group, rows: finalRows(group.rows).filter(isScored) }));
    const unscored = judged.filter(({ group, rows }) => group.rows.length > 0 && rows.length === 0);
    const { evicted, valueCounts } = filterGroups(
      judged
        .filter(({ group, rows }) => !group.failed && rows.length > 0)
        .map(({ group, rows }) => ({
          uid: group.uid,
          status: "finished" as const,
          trajectories: rows.map((row) => valuesOf(row, metric)),
        })),
      { mode: "sync", metric },
    );
    this.#unscored += unscored.length;
    for (const [value, count] of valueCounts) this.#shared.set(value, (this.#shared.get(value) ?? 0) + count);
    this.#record(prompts, valueCounts);
    const gone = new Set([...evicted, ...unscored.map(({ group }) => group.uid)]);
    return { kept: groups.filter(({ uid }) => !gone.has(uid)), dropped: gone.size };
  }

  get mayContinue(): boolean {
    return this.settings.onExhausted === "continue";
  }

  /** Prompts to ask for when `missing` groups are missing after `dropped` were dropped. */
  refill(missing: number, dropped: number): number {
    const { maxInflightBatches, batchSize } = this.settings;
    return Math.min(Math.max(missing, 2 * dropped), Math.max(missing, maxInflightBatches * batchSize));
  }

  /** Dropped groups by the value that they share; absent when nothing was dropped. */
  metrics(): Record<string, number> {
    const counts: (readonly [number | string, number])[] = [...this.#shared];
    if (this.#unscored > 0) counts.push(["none", this.#unscored]);
    const prefix = "training/filter_groups/filtered_reward_counts";
    return Object.fromEntries(counts.map(([value, count]) => [`${prefix}/${value}`, count]));
  }

  /** Rounds of refills are smaller than a batch: the budget counts whole batches of prompts. */
  #record(prompts: number, valueCounts: ReadonlyMap<number, number>): void {
    const { batchSize } = this.settings;
    const batches = Math.floor((this.#prompts + prompts) / batchSize) - Math.floor(this.#prompts / batchSize);
    this.#prompts += prompts;
    this.budget.record(valueCounts, batches);
  }
}

const isScored = (row: TrainingRow): boolean => row.score !== null;

/** The reward's values, `score` always among them. A failure that was scored 0 has only that, under any name. */
function valuesOf(row: TrainingRow, metric: string): Record<string, JsonValue> {
  const values: Record<string, JsonValue> = { score: row.score, ...row.rewardExtra };
  return row.outcome === "scored" ? values : { ...values, [metric]: values[metric] ?? row.score };
}
