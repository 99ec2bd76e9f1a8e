import type { DataItem, Dataset, Sampler, SamplerState } from "./dataset.js";
import { dataErrors } from "./errors.js";
import { randomSampler, sequentialSampler } from "./sampler.js";

/** A row handed out for training. */
export interface PromptDraw {
  /** Counts the prompts handed out since the run began; part of the prompt's uid. */
  readonly draw: number;
  /** Row of the data set. */
  readonly index: number;
  /** Pass over the data, from 0. */
  readonly epoch: number;
  readonly item: DataItem;
}

export interface PromptLoaderState {
  readonly version: 1;
  /** Prompts handed out so far. */
  readonly draw: number;
  /** Rows of the data set: another data set cannot go on from this state. */
  readonly rows: number;
  readonly batchSize: number;
  readonly sampler: SamplerState;
}

/** Hands out training rows for ever. Its whole state goes into the checkpoint. */
export interface PromptLoader {
  next(): PromptDraw;
  /** floor(rows / batch size): whole training batches in a pass. */
  readonly stepsPerEpoch: number;
  /** Prompts handed out since the run began. */
  readonly draw: number;
  state(): PromptLoaderState;
  /** A state of a data set with another number of rows is `VERL_DATA_STATE_MISMATCH`. */
  restore(state: PromptLoaderState): void;
}

export interface PromptLoaderOptions {
  readonly dataset: Dataset;
  /** Prompts of a training step. */
  readonly batchSize: number;
  readonly shuffle: boolean;
  readonly seed: number;
  /** Default: random with `seed` or sequential, by `shuffle`. */
  readonly sampler?: Sampler;
}

/** The draw that comes after a saved state; needs no data, for the order depends on nothing else. */
export function nextDraw(state: PromptLoaderState, shuffle: boolean): Omit<PromptDraw, "item"> {
  const nothing: DataItem = { row: {}, messages: [], origin: "" };
  const dataset: Dataset = {
    length: state.rows,
    at: () => nothing,
    report: { files: [], rows: state.rows, overlong: 0 },
  };
  const loader = createPromptLoader({ dataset, batchSize: state.batchSize, shuffle, seed: state.sampler.seed });
  loader.restore(state);
  const { item: _, ...draw } = loader.next();
  return draw;
}

/**
 * A pass hands out `stepsPerEpoch × batchSize` rows; the rest of its order, less than a batch, is skipped, as a loader that
 * drops its last partial batch does. When rows are shuffled, every pass skips other rows. Prompts that are asked for one by
 * one (refills, over-sampling) count like any other: passes end after the same number of rows, not after steps.
 */
export function createPromptLoader(options: PromptLoaderOptions): PromptLoader {
  const { dataset, batchSize, shuffle, seed } = options;
  const rows = dataset.length;
  const sampler = options.sampler ?? (shuffle ? randomSampler(rows, seed) : sequentialSampler(rows));
  const stepsPerEpoch = Math.floor(rows / batchSize);
  if (stepsPerEpoch < 1) {
    throw dataErrors.VERL_DATA_TOO_SMALL({
      what: `the training data has ${rows} usable rows, fewer than data.train_batch_size = ${batchSize}`,
      where: dataset.report.files.join(", "),
      fix: `Set data.train_batch_size to ${rows} or less, or add rows.`,
    });
  }
  const perPass = stepsPerEpoch * batchSize;
  let draw = 0;

  return {
    stepsPerEpoch,
    get draw() {
      return draw;
    },
    next() {
      const { position } = sampler.state();
      for (let skipped = position; skipped >= perPass && skipped < rows; skipped++) sampler.next();
      const index = sampler.next();
      return { draw: draw++, index, epoch: sampler.epoch, item: dataset.at(index) };
    },
    state: () => ({ version: 1, draw, rows, batchSize, sampler: sampler.state() }),
    restore(state) {
      if (state.version !== 1 || state.rows !== rows || !Number.isSafeInteger(state.draw) || state.draw < 0) {
        throw dataErrors.VERL_DATA_STATE_MISMATCH({
          what: `the checkpoint stopped in a data set of ${state.rows} rows, this one has ${rows}`,
          where: dataset.report.files.join(", "),
        });
      }
      sampler.restore(state.sampler);
      draw = state.draw;
    },
  };
}
