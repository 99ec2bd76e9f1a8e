import type { Awaitable, JsonValue, Logger } from "../../host/types.js";
import type { Dataset } from "./dataset.js";

/** Decides which row of the training data comes next. What it decides by is its state, which is part of the checkpoint. */
export interface Sampler {
  /** Index of the next row; after the last one of a pass the next pass begins. */
  next(): number;
  /** Pass over the data, from 0; it never falls. */
  readonly epoch: number;
  /** Everything that further rows depend on, as plain JSON. */
  state(): JsonValue;
  /** Goes on where a sampler over the same data, in that state, would. Throws where the state is none of its own. */
  restore(state: JsonValue): void;
  /**
   * How the prompts of a step came out, in the order in which they were drawn: every group that ended, whether it was
   * trained on or not. Called after the update and before the step is saved; a curriculum goes by it.
   */
  update?(outcomes: readonly RowOutcome[]): void;
}

/** What became of one draw. */
export interface RowOutcome {
  /** Row of the data set. */
  readonly index: number;
  /** Score of each session; null where scoring abstained or failed. Sessions that failed are missing. */
  readonly scores: readonly (number | null)[];
}

export interface SamplerOptions {
  readonly dataset: Dataset;
  /** Prompts of a training step. */
  readonly batchSize: number;
  /** Of `data.seed`, or drawn at random where that is null. */
  readonly seed: number;
  /** `data.sampler.kwargs`. */
  readonly kwargs: Readonly<Record<string, unknown>>;
  readonly logger: Logger;
}

/** Registered under the name that `data.sampler.name` gives; `data.sampler.class_path` takes one from a user file. */
export interface SamplerFactory {
  readonly name: string;
  create(options: SamplerOptions): Awaitable<Sampler>;
}
