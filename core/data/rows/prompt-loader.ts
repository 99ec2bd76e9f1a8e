import { isVerlError, reasonOf } from "../../host/errors.js";
import type { JsonValue } from "../../host/types.js";
import { dataErrors } from "../errors.js";
import { checkedSampler } from "./checked-sampler.js";
import type { DataItem, Dataset } from "./dataset.js";
import type { RowOutcome, Sampler } from "./row-sampler.js";
import { builtinSamplers, randomSampler, sequentialSampler } from "./sampler.js";

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
  /** Who decided the order; absent from checkpoints of earlier versions, where it was `random` or `sequential`. */
  readonly samplerName?: string;
  readonly sampler: JsonValue;
}

/** Hands out training rows for ever. Its whole state goes into the checkpoint. */
export interface PromptLoader {
  next(): PromptDraw;
  /** floor(rows / batch size): whole training batches in a pass. */
  readonly stepsPerEpoch: number;
  /** Prompts handed out since the run began. */
  readonly draw: number;
  /** Whether the order follows from the seed alone: results change nothing. */
  readonly isFixed: boolean;
  /** Tells the sampler how the prompts of a step came out. */
  update(outcomes: readonly RowOutcome[]): void;
  state(): PromptLoaderState;
  /** A state of another data set or sampler is `VERL_DATA_STATE_MISMATCH`. */
  restore(state: PromptLoaderState): void;
}

export interface PromptLoaderOptions {
  readonly dataset: Dataset;
  /** Prompts of a training step. */
  readonly batchSize: number;
  readonly shuffle: boolean;
  readonly seed: number;
  /** Default: random with `seed` or sequential, by `shuffle`. */
  readonly sampler?: { readonly name: string; readonly sampler: Sampler };
}

const BUILT_IN: readonly string[] = builtinSamplers.map(({ name }) => name);

/**
 * The draw that comes after a saved state, without any data. Null in place of row and pass where a sampler of a plugin or of the
 * user's decides, which nobody else can foretell.
 */
export function nextDraw(
  state: PromptLoaderState,
  shuffle: boolean,
): { readonly draw: number; readonly index: number | null; readonly epoch: number | null } {
  const { rows, batchSize, samplerName = shuffle ? "random" : "sequential" } = state;
  if (!BUILT_IN.includes(samplerName)) return { draw: state.draw, index: null, epoch: null };
  const dataset: Dataset = {
    length: rows,
    at: () => ({ row: {}, messages: [], origin: "" }),
    report: { files: [], rows, overlong: 0 },
  };
  const loader = createPromptLoader({ dataset, batchSize, shuffle: samplerName === "random", seed: 0 });
  loader.restore(state);
  const { draw, index, epoch } = loader.next();
  return { draw, index, epoch };
}

/**
 * A pass of the built-in orders hands out `stepsPerEpoch × batchSize` rows; the rest of its order, less than a batch, is skipped, as
 * a loader that drops its last partial batch does. When rows are shuffled, every pass skips other rows. Prompts that are asked for
 * one by one (refills, over-sampling) count like any other: passes end after the same number of rows, not after steps.
 */
export function createPromptLoader(options: PromptLoaderOptions): PromptLoader {
  const { dataset, batchSize, shuffle, seed } = options;
  const rows = dataset.length;
  const stepsPerEpoch = Math.floor(rows / batchSize);
  if (stepsPerEpoch < 1) {
    throw dataErrors.VERL_DATA_TOO_SMALL({
      what: `the training data has ${rows} usable rows, fewer than data.train_batch_size = ${batchSize}`,
      where: dataset.report.files.join(", "),
      fix: `Set data.train_batch_size to ${rows} or less, or add rows.`,
    });
  }
  const perPass = stepsPerEpoch * batchSize;
  const { name, sampler } = options.sampler ?? {
    name: shuffle ? "random" : "sequential",
    sampler: shuffle ? randomSampler(rows, seed, perPass) : sequentialSampler(rows, perPass),
  };
  const checked = checkedSampler(sampler, name, rows);
  let draw = 0;

  return {
    stepsPerEpoch,
    get draw() {
      return draw;
    },
    isFixed: sampler.update === undefined,
    next() {
      const { index, epoch } = checked.next(draw);
      return { draw: draw++, index, epoch, item: dataset.at(index) };
    },
    update: (outcomes) => checked.update(outcomes),
    state: () => ({ version: 1, draw, rows, batchSize, samplerName: name, sampler: checked.state() }),
    restore(state) {
      requireSameRows(state, { rows, name, files: dataset.report.files });
      restoreSampler(sampler, name, state.sampler);
      draw = state.draw;
    },
  };
}

/** Refuses the state of another data set or sampler. @throws VERL_DATA_STATE_MISMATCH */
export function requireSameRows(
  state: PromptLoaderState,
  { rows, name, files }: { readonly rows: number; readonly name: string; readonly files: readonly string[] },
): void {
  if (state.version !== 1 || state.rows !== rows || !Number.isSafeInteger(state.draw) || state.draw < 0) {
    throw dataErrors.VERL_DATA_STATE_MISMATCH({
      what: `the checkpoint stopped in a data set of ${state.rows} rows, this one has ${rows}`,
      where: files.join(", "),
    });
  }
  const { samplerName: saved = BUILT_IN.includes(name) ? name : BUILT_IN[0] } = state;
  if (saved === name) return;
  throw dataErrors.VERL_DATA_STATE_MISMATCH({
    what: `the checkpoint was written with rows in the order of the sampler "${saved}", this run has "${name}"`,
    why: "the resumed run would repeat some rows and skip others",
    fix: "Resume with the data.sampler and data.shuffle of the run that wrote the checkpoint, or start a new run.",
  });
}

function restoreSampler(sampler: Sampler, name: string, state: JsonValue): void {
  try {
    sampler.restore(state);
  } catch (error) {
    if (isVerlError(error)) throw error;
    throw dataErrors.VERL_DATA_STATE_MISMATCH({
      what: `the sampler "${name}" cannot go on from its state in the checkpoint`,
      why: reasonOf(error),
      cause: error,
    });
  }
}
