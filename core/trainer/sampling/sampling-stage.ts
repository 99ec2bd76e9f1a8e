import { trainerErrors } from "../errors.js";
import { type RunState, type StepMetrics, sampleBeginContext, sampleEndContext } from "../run-context.js";
import type { RunParts } from "../run-parts.js";
import { finalRows, type TrainingRow } from "../step/training-row.js";
import { DynamicSampling, type FilterSettings } from "./dynamic-sampling.js";
import type { PromptFeed } from "./prompt-feed.js";
import { asHooksSeeIt, type EndedGroup, endedGroups, readRows } from "./sampled-group.js";

/** Rounds of refilling before a hook that drops everything is stopped. */
const MAX_HOOK_ROUNDS = 20;

export interface SampledRows {
  /** Ordered by (draw, session, index). */
  readonly rows: readonly TrainingRow[];
  /** Keys to clear from the queue at the end of the step, dropped groups included. */
  readonly keys: readonly string[];
}

export interface SamplingScope {
  readonly state: RunState;
  readonly metrics: StepMetrics;
  /** Prompt groups that the step trains on. */
  readonly groups: number;
  onPhase(phase: string, done?: number, total?: number): void;
}

/**
 * The step's prompt groups, with `onSampleBegin` before and `onSampleEnd` after. Hooks may over-sample and drop groups:
 * a group dropped for a refill is replaced as far as fewer than `groups` are left, and what is left beyond `groups` is
 * discarded, latest draw first. The servers rest as soon as nothing more is to be sampled.
 */
export async function sampleStep(parts: RunParts, feed: PromptFeed, scope: SamplingScope): Promise<SampledRows> {
  const { state, metrics, groups } = scope;
  const begin = sampleBeginContext(state, metrics, groups);
  await parts.fire("onSampleBegin", begin.context);

  const collector = new GroupCollector(parts, feed, scope);
  let kept: EndedGroup[] = [];
  let missing = groups + begin.requested();
  for (let round = 0; missing > 0; round++) {
    if (round >= MAX_HOOK_ROUNDS) {
      throw trainerErrors.VERL_TRAINER_NO_TRAINABLE({
        what: `after ${round} rounds of new prompts ${missing} of ${groups} groups are still dropped by hooks`,
        where: `step ${state.globalStep}`,
        fix: "let onSampleEnd keep more groups, or drop with { refill: false }",
      });
    }
    const ended = await collector.collect(missing);
    const end = sampleEndContext(
      state,
      metrics,
      ended.map((group) => asHooksSeeIt(group, feed)),
    );
    await parts.fire("onSampleEnd", end.context, () => parts.weights.sleep());
    kept = [...kept, ...ended.filter(({ uid }) => !end.dropped.has(uid))];
    const refills = [...end.dropped.values()].filter(({ refill }) => refill).length;
    missing = Math.min(refills, Math.max(0, groups - kept.length));
    if (end.dropped.size > 0) metrics.count({ "training/filter_groups/dropped_by_hooks": end.dropped.size });
  }
  const full = kept.filter(({ rows }) => rows.length > 0);
  const chosen = full.slice(0, groups);
  discard(metrics, full.length - chosen.length);
  return { rows: chosen.flatMap(({ rows }) => rows), keys: collector.keys };
}

/** Hands out prompts and waits for their groups; with dynamic sampling until enough of them have signal. */
class GroupCollector {
  /** Every trajectory key that was read. */
  readonly keys: string[] = [];
  readonly #filter: DynamicSampling | null;
  readonly #deadline: number;
  readonly #signal: AbortSignal;

  constructor(
    private readonly parts: RunParts,
    private readonly feed: PromptFeed,
    private readonly scope: SamplingScope,
  ) {
    const settings = filterSettings(parts);
    this.#filter = settings && new DynamicSampling(settings);
    this.#deadline = performance.now() + parts.config.trainer.sample_deadline_s * 1000;
    this.#signal = scope.state.signal;
  }

  async collect(wanted: number): Promise<EndedGroup[]> {
    const { metrics, onPhase } = this.scope;
    const kept: EndedGroup[] = [];
    let prompts = wanted;
    for (;;) {
      onPhase("sampling", Math.min(kept.length, wanted), wanted);
      const ended = await this.#round(prompts);
      if (!this.#filter) return ended;
      const judged = this.#filter.judge(ended, prompts);
      metrics.set(this.#filter.metrics());
      if (judged.dropped > 0) metrics.count({ "training/filter_groups/evicted_samples": judged.dropped });
      kept.push(...judged.kept);
      if (kept.length >= wanted) break;
      if (this.#filter.budget.isSpent || performance.now() > this.#deadline) {
        const exhausted = this.#filter.budget.exhausted(kept.length, wanted);
        if (!this.#filter.mayContinue || kept.length === 0) throw exhausted;
        this.parts.logger.warn(`${exhausted.what}: the step goes on with them; ${exhausted.why}`);
        break;
      }
      prompts = this.#filter.refill(wanted - kept.length, judged.dropped);
    }
    discard(metrics, kept.length - wanted);
    return kept.slice(0, wanted);
  }

  async #round(prompts: number): Promise<EndedGroup[]> {
    const { parts, feed, scope } = this;
    const { globalStep } = scope.state;
    await parts.weights.wake();
    await feed.submitTrain(prompts, globalStep, this.#signal);
    const sampled = await parts.replay.sample({
      globalStep,
      partition: "train",
      groups: prompts,
      // A round of refills may fail as a whole; what the other rounds found is still there.
      allowEmpty: this.keys.length > 0,
      deadlineMs: Math.max(1, this.#deadline - performance.now()),
      signal: this.#signal,
    });
    // A fatal error may have come in the same moment as the last group.
    this.#signal.throwIfAborted();
    scope.metrics.count(sampled.metrics);
    this.keys.push(...sampled.batch.keys);
    const ended = endedGroups(await readRows(parts, sampled, "train"), sampled.failedGroups);
    feed.ended(ended.map(({ uid, rows }) => ({ uid, scores: finalRows(rows).map(({ score }) => score) })));
    return ended;
  }
}

function filterSettings({ config }: RunParts): FilterSettings | null {
  const { enable, metric, max_num_gen_batches, max_inflight_gen_batches, on_exhausted } =
    config.algorithm.filter_groups;
  if (!enable || metric === null) return null;
  return {
    metric,
    maxBatches: max_num_gen_batches,
    maxInflightBatches: max_inflight_gen_batches,
    batchSize: config.data.train_batch_size,
    onExhausted: on_exhausted,
  };
}

function discard(metrics: StepMetrics, groups: number): void {
  if (groups > 0) metrics.count({ "training/filter_groups/discarded_surplus_samples": groups });
}
