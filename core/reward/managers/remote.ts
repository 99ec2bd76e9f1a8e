import type { CallOptions } from "../../host/types.js";
import { withDeadline } from "../deadline.js";
import { toJsonValue } from "../json-value.js";
import type {
  RewardInput,
  RewardJob,
  RewardManager,
  RewardManagerFactory,
  RewardManagerOptions,
  RewardResult,
} from "../reward.js";
import { tracedScore } from "../traced-parts.js";
import { type Seat, WorkerPool } from "../workers/worker-pool.js";
import { scorerChoice } from "./choose-scorer.js";
import { withOverlongPenalty } from "./dapo.js";
import { createNaiveRewardManager } from "./naive.js";
import { failedResult, inTurn } from "./scored-call.js";

/**
 * For functions that take processor time: they run in up to `reward.num_workers` threads, one trajectory at a time in each,
 * and hold nothing else up. The deadline begins when a thread takes a trajectory up, and ends a function by force: its thread
 * is stopped, and another one takes its place. Threads hold no live objects of the run: a scorer that needs the sandbox runs
 * in this process, as under `naive`. The options of `dapo` apply here too.
 */
export const remoteRewardManager: RewardManagerFactory = { name: "remote", create: createRemoteRewardManager };

export async function createRemoteRewardManager(options: RewardManagerOptions): Promise<RewardManager> {
  const scorerFor = scorerChoice(options);
  const inProcess = createNaiveRewardManager(options);
  const pool = new WorkerPool(options.workers);
  // What cannot be loaded is told before the run starts.
  (await pool.acquire()).release();

  async function score(input: RewardInput, call: CallOptions = {}): Promise<RewardResult> {
    const { name, sandboxLanguage } = scorerFor(input.dataSource);
    if (sandboxLanguage) return inProcess.score(input, call);
    const { signal } = call;
    return inTurn(
      input,
      signal,
      () => pool.acquire(signal),
      (seat) => tracedScore(options.tracer, name, () => inWorker(seat, input, options, signal)),
    );
  }

  return withOverlongPenalty(
    {
      score,
      supports(dataSource) {
        scorerFor(dataSource);
        return true;
      },
      dispose: () => pool.close(),
    },
    options.rewardKwargs,
  );
}

/** Whatever ends the call early, a deadline, the caller, or the thread itself, the thread is not used again. */
async function inWorker(
  seat: Seat,
  input: RewardInput,
  { deadlineMs, media }: Pick<RewardManagerOptions, "deadlineMs" | "media">,
  signal?: AbortSignal,
): Promise<RewardResult> {
  try {
    return await withDeadline(deadlineMs, () => seat.worker.score(jobOf(input), media), signal);
  } catch (error) {
    await seat.discard();
    signal?.throwIfAborted();
    return failedResult(error, input, seat.worker.name);
  }
}

function jobOf({ key, dataSource, solution, groundTruth, origin, extraInfo, media }: RewardInput): RewardJob {
  return {
    key,
    dataSource,
    solution,
    groundTruth,
    extraInfo: toJsonValue(extraInfo) as RewardJob["extraInfo"],
    ...(media === undefined ? {} : { media }),
    ...(origin === undefined ? {} : { origin }),
  };
}
