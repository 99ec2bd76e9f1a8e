import type { AgentLoopManager } from "../agent/agent-loop.js";
import type { RunConfig } from "../config/run-config.js";
import type { PromptLoader, RunMedia } from "../data/index.js";
import type { Dataset } from "../data/rows/dataset.js";
import type { Tokenizer } from "../data/tokenizer.js";
import type { BaseEngine } from "../engine/engine.js";
import type { Profiler } from "../host/profiler.js";
import type { Logger } from "../host/types.js";
import type { Tracer } from "../tracing/tracer.js";
import type { TrackerSet } from "../tracking/index.js";
import type { ReplayBuffer } from "../transfer/replay-buffer.js";
import type { TransferQueue } from "../transfer/transfer-queue.js";
import type { CheckpointStore } from "./checkpoint/checkpoint-store.js";
import type { DumpTrajectories } from "./dumps.js";
import type { CheckpointCallback, HookContexts, HookName } from "./hooks.js";
import type { LateRewards } from "./sampling/late-rewards.js";
import type { WeightSync } from "./sampling/weight-sync.js";
import type { Algorithm } from "./setup/algorithm-setup.js";
import type { LostUpdates } from "./step/divergence.js";
import type { MediaSupply } from "./step/media-inputs.js";
import type { ReferencePolicy } from "./step/reference-policy.js";

/** Runs a hook: `pre` slots, then the trainer's own work, then `post` slots. */
export type FireHook = <N extends HookName>(
  name: N,
  context: HookContexts[N],
  trainerWork?: () => Promise<void>,
) => Promise<void>;

/** Everything that a synchronous run is made of, built once by `setup.ts`. */
export interface RunParts extends Algorithm {
  readonly config: RunConfig;
  readonly profiler?: Profiler;
  readonly tokenizer: Tokenizer;
  /** Null where nothing is validated. */
  readonly validation: Dataset | null;
  /** Null for a run that only validates. */
  readonly loader: PromptLoader | null;
  /** Of the training data. */
  readonly dataFingerprint: string | null;
  /** Images, videos and sounds that prompts and tools show. */
  readonly media: RunMedia;
  readonly queue: TransferQueue;
  readonly replay: ReplayBuffer;
  readonly manager: AgentLoopManager;
  /** For a reward model that scores after sampling; null where trajectories come with their score. */
  readonly lateRewards: LateRewards | null;
  readonly actor: BaseEngine;
  /** Of the policy's model; null where it is not known. */
  readonly vocabSize: number | null;
  /** Null when the run has no value model. */
  readonly critic: BaseEngine | null;
  /** Null when no KL is asked for. */
  readonly reference: ReferencePolicy | null;
  /** Aborted when something that the whole run depends on is lost: the agent loops, a training process. */
  readonly failed: readonly AbortSignal[];
  readonly weights: WeightSync;
  readonly lostUpdates: LostUpdates;
  readonly fire: FireHook;
  readonly trackers: TrackerSet;
  readonly checkpoints: CheckpointStore;
  /** Puts the run's tokenizer into the models that an engine has exported into a folder. */
  readonly exportTokenizer: (dir: string) => Promise<void>;
  /** When the run first started, however often it was resumed: the time that chat templates see. */
  readonly startedAt: Date;
  readonly checkpointCallbacks: readonly CheckpointCallback[];
  readonly logger: Logger;
  readonly tracer: Tracer;
  /** Write `rollout_data_dir` or `validation_data_dir`, where configured. */
  readonly dump: DumpTrajectories;
  dispose(): Promise<void>;
}

/** The parts that turn sampled trajectories into an update: no data, no server, nothing that is tracked. */
export type PipelineParts = Algorithm &
  Pick<RunParts, "config" | "actor" | "critic" | "reference" | "lostUpdates" | "logger"> & {
    /** Null where no trajectory shows any. */
    readonly media: MediaSupply | null;
    readonly weights: Pick<WeightSync, "version">;
  };
