import { AsyncResource } from "node:async_hooks";
import { watchCall } from "../../host/blocking/block-watch.js";
import type { CallOptions } from "../../host/types.js";
import { timerMs } from "../../host/util/deadline.js";
import { Semaphore } from "../../host/util/semaphore.js";
import { withDeadline } from "../deadline.js";
import { rewardErrors } from "../errors.js";
import type {
  BatchRewardFunction,
  RewardInput,
  RewardManager,
  RewardManagerFactory,
  RewardManagerOptions,
  RewardResult,
} from "../reward.js";
import { rewardedSample } from "../rewarded-sample.js";
import { inOneLine, resultOf, whereOf } from "../score-value.js";
import { tracedScore } from "../traced-parts.js";
import { failedResult, scoringOf } from "./scored-call.js";

/**
 * For functions that take a list (`BatchRewardFunction`): finished trajectories are gathered until there are
 * `reward.batch.max_size` of them or the first has waited for `reward.batch.max_wait_ms`.
 */
export const batchRewardManager: RewardManagerFactory = { name: "batch", create: createBatchRewardManager };

interface Waiting {
  readonly input: RewardInput;
  readonly signal?: AbortSignal;
  readonly arrived: number;
  /** Tells the trajectory's trace of a call that begins now. */
  trace(call: Promise<RewardResult>): void;
  settle(result: RewardResult): void;
}

export function createBatchRewardManager(options: RewardManagerOptions): RewardManager {
  const { batch: limits, deadlineMs } = options;
  const score = functionOf(options);
  const slots = new Semaphore(Math.max(1, Math.floor(options.maxConcurrent / limits.maxSize)));
  const shutdown = new AbortController();
  let gathered: Waiting[] = [];
  let timer: NodeJS.Timeout | undefined;

  function add(waiting: Waiting): void {
    gathered.push(waiting);
    if (gathered.length >= limits.maxSize) close();
    else timer ??= setTimeout(close, timerMs(limits.maxWaitMs));
  }

  function close(): void {
    clearTimeout(timer);
    timer = undefined;
    const batch = gathered;
    gathered = [];
    if (batch.length > 0) void run(batch);
  }

  /** Those whose callers are gone by the time that it is their turn are left out; the call ends when all of them are. */
  async function run(batch: readonly Waiting[]): Promise<void> {
    const release = await slots.acquire();
    const wanted = batch.filter(({ signal }) => !signal?.aborted);
    const started = performance.now();
    try {
      if (wanted.length === 0) return;
      const called = call(wanted);
      for (const [i, { trace }] of wanted.entries()) trace(called.then((results) => results[i]));
      const results = await called;
      const seconds = (performance.now() - started) / 1000;
      for (const [i, { arrived, settle }] of wanted.entries()) {
        settle({ ...results[i], seconds: { queue: (started - arrived) / 1000, score: seconds } });
      }
    } finally {
      release();
    }
  }

  async function call(batch: readonly Waiting[]): Promise<RewardResult[]> {
    const inputs = batch.map(({ input }) => input);
    using nobody = whenAllAborted(batch);
    const outer = AbortSignal.any([shutdown.signal, nobody.signal]);
    try {
      const returned: unknown = await withDeadline(
        deadlineMs,
        (signal) =>
          watchCall(
            () => scoringOf(deadlineMs, `a batch of ${inputs.length}, the first ${whereOf(inputs[0])}`),
            () =>
              score(
                inputs.map((input) => rewardedSample(input, options.media)),
                { signal, kwargs: options.rewardKwargs, sandbox: options.sandbox, judge: options.judge },
              ),
          ),
        outer,
      );
      const scores = listOf(returned);
      if (scores?.length !== inputs.length) return inputs.map(wrongList(returned, scores));
      return inputs.map((input, i) => resultOf(scores[i], input));
    } catch (error) {
      return inputs.map((input) => failedResult(error, input));
    }
  }

  return {
    score: (input, { signal }: CallOptions = {}) =>
      new Promise<RewardResult>((resolve, reject) => {
        signal?.throwIfAborted();
        const abort = () => reject(signal?.reason);
        signal?.addEventListener("abort", abort, { once: true });
        const settle = (result: RewardResult) => {
          signal?.removeEventListener("abort", abort);
          resolve(result);
        };
        // Each trajectory has a trace of its own, and they share the call.
        const trace = AsyncResource.bind((call: Promise<RewardResult>) => {
          void tracedScore(options.tracer, "function", () => call);
        });
        add({ input, signal, arrived: performance.now(), trace, settle });
      }),
    supports: () => true,
    async dispose() {
      clearTimeout(timer);
      const reason = new Error("the run is over");
      shutdown.abort(reason);
      for (const { input, settle } of gathered.splice(0)) settle(failedResult(reason, input));
    },
  };
}

function functionOf({ customFunction }: RewardManagerOptions): BatchRewardFunction {
  if (customFunction) return customFunction as unknown as BatchRewardFunction;
  throw rewardErrors.VERL_REWARD_BAD_FUNCTION({
    what: "the reward manager batch has no function to call",
    where: "reward.custom_reward_function.path",
    why: "it hands lists of trajectories to a function of your own; registered scorers take one at a time",
    fix: "name a file, or take the reward manager naive",
  });
}

/** Aborted when nobody waits for the batch any more. Its listeners go with it: a prompt's signal outlives the batch. */
function whenAllAborted(batch: readonly Waiting[]): { readonly signal: AbortSignal } & Disposable {
  const controller = new AbortController();
  const heard = new AbortController();
  let left = batch.length;
  for (const { signal } of batch) {
    const count = () => --left === 0 && controller.abort(signal?.reason);
    if (signal?.aborted) count();
    else signal?.addEventListener("abort", count, { once: true, signal: heard.signal });
  }
  return { signal: controller.signal, [Symbol.dispose]: () => heard.abort() };
}

/** Typed arrays are lists of numbers, too. */
function listOf(returned: unknown): readonly unknown[] | null {
  if (Array.isArray(returned)) return returned;
  return ArrayBuffer.isView(returned) && "length" in returned ? Array.from(returned as Float64Array) : null;
}

const wrongList =
  (returned: unknown, scores: readonly unknown[] | null) =>
  (input: RewardInput, _: number, inputs: readonly RewardInput[]): RewardResult => {
    const got = scores ? `a list of ${scores.length}` : `no list (${typeof returned})`;
    const error = rewardErrors.VERL_REWARD_BAD_RESULT({
      what: `the reward function was given ${inputs.length} trajectories and returned ${got}`,
      where: whereOf(input),
      fix: "return one score for each, in their order",
    });
    return { outcome: "error", score: null, extra: {}, message: inOneLine(error) };
  };
