import { kvBatchMeta } from "../data/batch/kv-batch-meta.js";
import { withDeadline } from "./deadline.js";
import { transferErrors } from "./errors.js";
import { countTrajectories, type PromptEntry, PromptReader, trajectoriesOf } from "./prompt-group.js";
import { isTerminal } from "./prompt-tag.js";
import type {
  ReplayBuffer,
  ReplayBufferFactory,
  ReplayBufferOptions,
  SampleRequest,
  SampleResult,
} from "./replay-buffer.js";
import { evictGroups } from "./staleness.js";
import { StuckWatch, stuckTable } from "./stuck-report.js";
import type { Entry } from "./transfer-queue.js";

const LAST_LOOK_MS = 5000;

type Partition = SampleRequest["partition"];

/** What one look at the queue shows. */
interface Scan {
  readonly entries: readonly Entry[];
  readonly prompts: readonly PromptEntry[];
  /** Ended groups that may be sampled, oldest draw first. */
  readonly sampleable: readonly PromptEntry[];
  /** Failed groups to be replaced. */
  readonly evicted: readonly string[];
}

/**
 * Sampling for the synchronous trainer: wait until the asked number of groups has ended, take those drawn first, and do
 * not wait for others. A failed group counts as one of them with the trajectories that it has, and the shortfall is
 * reported; with `syncRefillFailedGroups` a failed group without any trajectory is replaced by another prompt.
 */
export class SyncReplayBuffer implements ReplayBuffer {
  readonly #options: ReplayBufferOptions;
  readonly #reader = new PromptReader();

  constructor(options: ReplayBufferOptions) {
    if (options.syncRefillFailedGroups && !options.refill) {
      throw transferErrors.VERL_REPLAY_CONFIG({
        what: "sync_refill_failed_groups is on, but nobody can supply further prompts",
        fix: "Pass a refill function, or turn sync_refill_failed_groups off.",
      });
    }
    this.#options = options;
  }

  async sample(request: SampleRequest): Promise<SampleResult> {
    const { partition, groups } = request;
    const watch = new StuckWatch();
    let evictedSamples = 0;
    let last: Scan = { entries: [], prompts: [], sampleable: [], evicted: [] };
    return withDeadline(
      request,
      async () => timeout(request, watch, await this.#lastLook(request, last)),
      async (signal) => {
        for (;;) {
          const revision = this.#options.queue.revision();
          last = await this.#scan(request.globalStep, partition, signal);
          watch.see(last.prompts);
          if (last.evicted.length > 0) {
            evictedSamples += await this.#options.queue.clear(partition, last.evicted, { signal });
          }
          if (last.sampleable.length >= groups) return this.#take(request, last, evictedSamples, signal);
          if (last.evicted.length > 0) await this.#options.refill?.(last.evicted.length);
          else
            await this.#options.queue.changed(revision + this.#changesToSkip(groups - last.sampleable.length), {
              signal,
            });
        }
      },
    );
  }

  async sampleableCount(globalStep: number, partition: Partition): Promise<number> {
    return (await this.#scan(globalStep, partition)).sampleable.length;
  }

  async #scan(globalStep: number, partition: Partition, signal?: AbortSignal): Promise<Scan> {
    const entries = await this.#options.queue.list(partition, { signal });
    const prompts = this.#reader.read(entries);
    const ended = prompts.filter(({ tag }) => isTerminal(tag.status));
    const evicted = partition === "train" ? this.#failedToReplace(ended, entries, globalStep) : [];
    const sampleable = evicted.length > 0 ? ended.filter(({ uid }) => !evicted.includes(uid)) : ended;
    return { entries, prompts, sampleable, evicted };
  }

  /** Each missing group ends with a change of its own, so all but the last of them need no look at the queue. */
  #changesToSkip(missing: number): number {
    return this.#options.syncRefillFailedGroups ? 0 : missing - 1;
  }

  /** For the report of a timeout; a queue that does not answer must not hold it up. */
  async #lastLook({ globalStep, partition }: SampleRequest, last: Scan): Promise<Scan> {
    return this.#scan(globalStep, partition, AbortSignal.timeout(LAST_LOOK_MS)).catch(() => last);
  }

  #failedToReplace(ended: readonly PromptEntry[], entries: readonly Entry[], step: number): readonly string[] {
    const { syncRefillFailedGroups, maxOffPolicyThreshold, maxOffPolicyStrategy } = this.#options;
    if (!syncRefillFailedGroups || ended.every(({ tag }) => tag.status === "finished")) return [];
    const stored = countTrajectories(entries);
    return evictGroups(
      ended.map(({ uid, tag }) => ({ uid, ...tag, trajectories: stored.get(uid) ?? 0 })),
      { mode: "sync-refill", step, maxOffPolicyThreshold, maxOffPolicyStrategy },
    ).evicted;
  }

  async #take(request: SampleRequest, scan: Scan, evicted: number, signal: AbortSignal): Promise<SampleResult> {
    const { partition, groups, allowEmpty } = request;
    const chosen = scan.sampleable.slice(0, groups);
    const uids = chosen.map(({ uid }) => uid);
    const rows = trajectoriesOf(scan.entries, uids);
    if (partition === "train" && groups > 0 && rows.length === 0 && !allowEmpty) {
      throw transferErrors.VERL_REPLAY_NO_TRAJECTORIES({
        what: `none of the ${groups} prompt groups of step ${request.globalStep} holds a trajectory`,
        why: chosen.find(({ tag }) => tag.lastEvent)?.tag.lastEvent ?? undefined,
      });
    }
    await this.#options.queue.clear(partition, uids, { signal });
    const failed = chosen.filter(({ tag }) => tag.status === "failure").map(({ uid }) => uid);
    const withRows = countTrajectories(rows);
    return {
      batch: kvBatchMeta({ partition, keys: rows.map((row) => row.key), tags: rows.map((row) => row.tag) }),
      metrics: presentMetrics(partition, {
        evicted_samples: evicted,
        kept_samples: failed.filter((uid) => withRows.has(uid)).length,
        empty_samples: uids.filter((uid) => !withRows.has(uid)).length,
      }),
      failedGroups: failed,
    };
  }
}

export const syncReplayBufferFactory: ReplayBufferFactory = {
  name: "sync",
  create: (options) => new SyncReplayBuffer(options),
};

/**
 * `{training|validation}/rollout_failure/…`, in groups: `evicted_samples` replaced, `kept_samples` used although a session
 * failed, `empty_samples` used without any trajectory. Absent when nothing happened.
 */
function presentMetrics(partition: Partition, counts: Readonly<Record<string, number>>): Record<string, number> {
  const prefix = partition === "train" ? "training" : "validation";
  const present = Object.entries(counts).filter(([, count]) => count > 0);
  return Object.fromEntries(present.map(([name, count]) => [`${prefix}/rollout_failure/${name}`, count]));
}

function timeout({ globalStep, partition, groups, deadlineMs }: SampleRequest, watch: StuckWatch, last: Scan): Error {
  const { prompts } = last;
  const stuck = watch.stuck(prompts, countTrajectories(last.entries));
  return transferErrors.VERL_REPLAY_TIMEOUT({
    what: `${last.sampleable.length} of ${groups} prompt groups had ended after ${Number((deadlineMs / 1000).toPrecision(3))} s`,
    where: `step ${globalStep}, partition ${partition}`,
    why:
      stuck.length > 0
        ? `${stuck.length} prompts have not ended:\n         ${stuckTable(stuck)}`
        : `nothing else is in flight: only ${prompts.length} prompts are in the queue`,
    data: { ended: last.sampleable.length, wanted: groups, stuck },
  });
}
