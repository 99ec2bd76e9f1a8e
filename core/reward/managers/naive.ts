import type { CallOptions } from "../../host/types.js";
import { Semaphore } from "../../host/util/semaphore.js";
import type { RewardInput, RewardManager, RewardManagerFactory, RewardManagerOptions } from "../reward.js";
import { rewardedSample } from "../rewarded-sample.js";
import { tracedScore } from "../traced-parts.js";
import { type ChosenScorer, scorerChoice } from "./choose-scorer.js";
import { inTurn, scoredCall } from "./scored-call.js";

/**
 * Scores with the user's function, or the scorer of the data source. Functions run in this process: asynchronous ones
 * (model judges, sandboxes) overlap up to `maxConcurrent`; a synchronous one holds the process for as long as it runs and
 * no deadline can interrupt it (a watching thread ends the process), so expensive rules belong into the threads of `remote`. After a deadline the function's
 * signal is aborted and its late result is ignored.
 */
export function createNaiveRewardManager(options: RewardManagerOptions): RewardManager {
  const scorerFor = scorerChoice(options);
  const slots = new Semaphore(options.maxConcurrent);
  let sandboxSlots: Promise<Semaphore> | undefined;

  /** Who would only wait for the sandbox waits here, where the deadline does not run yet. */
  function slotsFor(scorer: ChosenScorer): Semaphore | Promise<Semaphore> {
    if (!scorer.sandboxLanguage) return slots;
    sandboxSlots ??= options
      .sandbox()
      .then(({ maxConcurrent }) => new Semaphore(Math.min(options.maxConcurrent, maxConcurrent)));
    return sandboxSlots;
  }

  return {
    async score(input: RewardInput, { signal }: CallOptions = {}) {
      const scorer = scorerFor(input.dataSource);
      return inTurn(
        input,
        signal,
        async () => ({ release: await (await slotsFor(scorer)).acquire(signal) }),
        () =>
          tracedScore(options.tracer, scorer.name, () =>
            scoredCall(input, { deadlineMs: options.deadlineMs, signal }, (deadline) =>
              scorer.score({
                ...rewardedSample(input, options.media),
                signal: deadline,
                kwargs: options.rewardKwargs,
                sandbox: options.sandbox,
                judge: options.judge,
              }),
            ),
          ),
      );
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
