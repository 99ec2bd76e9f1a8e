import { firstFrame } from "../host/error-place.js";
import { isVerlError, reasonOf } from "../host/errors.js";
import { Semaphore } from "../host/semaphore.js";
import type { CallOptions } from "../host/types.js";
import { DeadlineExceeded, withDeadline } from "./deadline.js";
import { rewardErrors } from "./errors.js";
import type {
  RewardInput,
  RewardManager,
  RewardManagerFactory,
  RewardManagerOptions,
  RewardResult,
  Scorer,
} from "./reward.js";
import { inOneLine, resultOf, whereOf } from "./score-value.js";

/**
 * Scores with the user's function, or the scorer of the data source. Functions run in this process: asynchronous ones
 * (model judges, sandboxes) overlap up to `maxConcurrent`; a synchronous one holds the process for as long as it runs and
 * no deadline can interrupt it, so expensive rules belong into a worker of their own. After a deadline the function's
 * signal is aborted and its late result is ignored.
 */
export function createNaiveRewardManager(options: RewardManagerOptions): RewardManager {
  const slots = new Semaphore(options.maxConcurrent);
  let sandboxSlots: Promise<Semaphore> | undefined;

  function scorerFor(dataSource: string): Pick<Scorer, "score" | "sandboxLanguage"> {
    if (options.customFunction) return { score: options.customFunction };
    const scorer = options.findScorer(dataSource);
    if (!scorer) throw noScorer(dataSource, options.knownDataSources);
    return scorer;
  }

  /** Who would only wait for the sandbox waits here, where the deadline does not run yet. */
  function slotsFor(scorer: Pick<Scorer, "sandboxLanguage">): Semaphore | Promise<Semaphore> {
    if (!scorer.sandboxLanguage) return slots;
    sandboxSlots ??= options
      .sandbox()
      .then(({ maxConcurrent }) => new Semaphore(Math.min(options.maxConcurrent, maxConcurrent)));
    return sandboxSlots;
  }

  async function run(scorer: Pick<Scorer, "score">, input: RewardInput, signal?: AbortSignal): Promise<RewardResult> {
    try {
      const value: unknown = await withDeadline(
        options.deadlineMs,
        (deadline) =>
          scorer.score({
            dataSource: input.dataSource,
            solution: input.solution,
            groundTruth: input.groundTruth,
            extraInfo: input.extraInfo,
            signal: deadline,
            kwargs: options.rewardKwargs,
            sandbox: options.sandbox,
          }),
        signal,
      );
      return resultOf(value, input);
    } catch (error) {
      signal?.throwIfAborted();
      return failed(error, input);
    }
  }

  return {
    async score(input: RewardInput, call?: CallOptions) {
      const scorer = scorerFor(input.dataSource);
      const arrived = performance.now();
      let places: Semaphore;
      try {
        places = await slotsFor(scorer);
      } catch (error) {
        return failed(error, input);
      }
      const release = await places.acquire(call?.signal);
      const started = performance.now();
      try {
        const result = await run(scorer, input, call?.signal);
        return {
          ...result,
          seconds: { queue: (started - arrived) / 1000, score: (performance.now() - started) / 1000 },
        };
      } finally {
        release();
      }
    },
    supports(dataSource) {
      scorerFor(dataSource);
      return true;
    },
  };
}

export const naiveRewardManager: RewardManagerFactory = { name: "naive", create: createNaiveRewardManager };
/** The same under the reference's name for rewards of several components, which `naive` passes on too. */
export const gdpoRewardManager: RewardManagerFactory = { name: "gdpo", create: createNaiveRewardManager };

function failed(error: unknown, input: RewardInput): RewardResult {
  const late = error instanceof DeadlineExceeded;
  const details = { where: whereOf(input), cause: error };
  const coded = late
    ? rewardErrors.VERL_REWARD_TIMEOUT({ what: `scoring took longer than ${error.deadlineMs / 1000} s`, ...details })
    : rewardErrors.VERL_REWARD_FAILED({ what: "the reward function threw", why: thrown(error), ...details });
  return { outcome: late ? "timeout" : "error", score: null, extra: {}, message: inOneLine(coded) };
}

/** What was thrown and at which line of the user's file. */
function thrown(error: unknown): string {
  if (isVerlError(error)) return [`${error.code}: ${error.what}`, error.why].filter(Boolean).join(": ");
  const place = firstFrame(error);
  return place ? `${reasonOf(error)} (at ${place})` : reasonOf(error);
}

function noScorer(dataSource: string, known: readonly string[]) {
  return rewardErrors.VERL_REWARD_NO_SCORER({
    what: `no scorer for the data source "${dataSource}"`,
    why: known.length > 0 ? `known data sources: ${known.join(", ")}` : "no scorer is registered",
  });
}
