import { customRewardFunction } from "../custom-function.js";
import { rewardErrors } from "../errors.js";
import { scorerChoice } from "../managers/choose-scorer.js";
import { failedResult } from "../managers/scored-call.js";
import type { RewardFunction, RewardJob, RewardResult, Scorer } from "../reward.js";
import { resultOf } from "../score-value.js";
import { createScorerIndex } from "../scorer-index.js";

/** What a reward worker needs to know before it can score. */
export interface WorkerTask {
  /** Of the worker, for messages. */
  readonly name: string;
  /** The user's function; null: the registered scorers. `path` is absolute. */
  readonly source: { readonly path: string; readonly name: string } | null;
  readonly kwargs: Readonly<Record<string, unknown>>;
}

/** The inside of a reward worker: what the driver can ask of it. */
export function workerMethods(host: {
  loadUserModule(reference: string, exportName: string | null): Promise<unknown>;
  readonly scorers: readonly Scorer[];
}) {
  let opened: { readonly task: WorkerTask; readonly customFunction: RewardFunction | null } | null = null;
  const index = createScorerIndex(host.scorers);
  return {
    async open(task: WorkerTask): Promise<void> {
      const { source } = task;
      const module = source && ((await host.loadUserModule(source.path, null)) as Record<string, unknown>);
      opened = { task, customFunction: source && module && customRewardFunction(module, source) };
    },
    async score(job: RewardJob): Promise<RewardResult> {
      const input = { ...job, promptIds: [], responseIds: [], messages: [], row: {} };
      try {
        if (!opened) throw new Error("the worker was not opened");
        const { task, customFunction } = opened;
        const { knownDataSources, find } = index;
        const { score } = scorerChoice({ customFunction, findScorer: find, knownDataSources })(job.dataSource);
        const { dataSource, solution, groundTruth, extraInfo } = job;
        const sample = { dataSource, solution, groundTruth, extraInfo };
        return resultOf(
          await score({
            ...sample,
            signal: NEVER,
            kwargs: task.kwargs,
            sandbox: () => absent("the sandbox"),
            judge: null,
          }),
          input,
        );
      } catch (error) {
        return failedResult(error, input, opened?.task.name);
      }
    },
  };
}

/** A thread is ended, not asked to stop. */
const NEVER = new AbortController().signal;

async function absent(what: string): Promise<never> {
  throw rewardErrors.VERL_REWARD_NOT_IN_WORKER({ what: `reward workers do not have ${what}` });
}
