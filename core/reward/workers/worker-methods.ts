import type { LoadUserModule } from "../../host/loading/user-module.js";
import type { CallOptions } from "../../host/types.js";
import { noTracer, RelayTracer, type SpanNews, type TracerFactory, withTracer } from "../../tracing/index.js";
import { customRewardFunction } from "../custom-function.js";
import { rewardErrors } from "../errors.js";
import { scorerChoice } from "../managers/choose-scorer.js";
import { failedResult } from "../managers/scored-call.js";
import type { RewardFunction, RewardJob, RewardResult, Scorer } from "../reward.js";
import { rewardedSample } from "../rewarded-sample.js";
import { resultOf } from "../score-value.js";
import { createScorerIndex } from "../scorer-index.js";

const KEY = "reward.custom_reward_function.path";

/** What a reward worker needs to know before it can score. */
export interface WorkerTask {
  /** Of the worker, for messages. */
  readonly name: string;
  /** The user's function; null: the registered scorers. `path` is absolute. */
  readonly source: { readonly path: string; readonly name: string } | null;
  readonly kwargs: Readonly<Record<string, unknown>>;
  /** Registered names of the run's tracers. */
  readonly tracers: readonly string[];
}

/** What a reward worker is asked for. Plain data. */
export interface WorkerCall {
  /** Names the call among all of the worker's. */
  readonly id: number;
  readonly job: RewardJob;
  /** How it tells of its spans; null where nobody listens. */
  readonly trace: { readonly wantsText: boolean } | null;
}

/** What a reward worker tells of spans inside a call. */
export interface WorkerSpan {
  readonly call: number;
  readonly event: SpanNews;
}

/** A medium whose bytes a reward worker asks for. */
export interface WorkerMedium {
  readonly call: number;
  readonly id: string;
}

/** The inside of a reward worker: what the driver can ask of it. `driver` is what it asks and tells the driver. */
export function workerMethods(
  host: {
    readonly loadUserModule: LoadUserModule;
    readonly scorers: readonly Scorer[];
    readonly findTracer: (name: string) => TracerFactory;
  },
  driver: {
    readonly tell: (span: WorkerSpan) => void;
    readonly bytes: (medium: WorkerMedium, options?: CallOptions) => Promise<Uint8Array>;
  },
) {
  let opened: { readonly task: WorkerTask; readonly customFunction: RewardFunction | null } | null = null;
  const index = createScorerIndex(host.scorers);
  return {
    async open(task: WorkerTask): Promise<void> {
      for (const name of task.tracers) await host.findTracer(name).joinThread?.();
      const { source } = task;
      const module = source && ((await host.loadUserModule(source.path, null, KEY)) as Record<string, unknown>);
      opened = { task, customFunction: source && module && customRewardFunction(module, source) };
    },
    async score({ id: call, job, trace }: WorkerCall): Promise<RewardResult> {
      const tracer = trace ? new RelayTracer((event) => driver.tell({ call, event }), trace.wantsText) : noTracer;
      const input = { ...job, promptIds: [], responseIds: [], messages: [], row: {} };
      try {
        if (!opened) throw new Error("the worker was not opened");
        const { task, customFunction } = opened;
        const { knownDataSources, find } = index;
        const { score } = scorerChoice({ customFunction, findScorer: find, knownDataSources })(job.dataSource);
        const sample = rewardedSample(job, {
          bytes: ({ id }, options) => driver.bytes({ call, id }, options),
        });
        const returned = await withTracer(tracer, async () =>
          score({
            ...sample,
            signal: NEVER,
            kwargs: task.kwargs,
            sandbox: () => absent("the sandbox"),
            judge: null,
          }),
        );
        return resultOf(returned, input);
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
