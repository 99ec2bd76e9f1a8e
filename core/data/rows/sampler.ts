import type { JsonValue } from "../../host/types.js";
import { dataErrors } from "../errors.js";
import { RandomStream } from "../random.js";
import type { Sampler, SamplerFactory } from "./row-sampler.js";

/** Where a {@link Sampler} over passes stands. */
interface PassState {
  readonly epoch: number;
  readonly position: number;
  readonly seed: number;
}

/** Rows in their own order, pass after pass. A pass has the first `perPass` of them; default all. */
export function sequentialSampler(length: number, perPass = length): Sampler {
  return new PassSampler(length, perPass, 0, () => null);
}

/**
 * A new order for every pass, which has the first `perPass` rows of it (default all). The order is a function of (seed, epoch,
 * length) alone, so a restored sampler goes on as the saved one would have.
 */
export function randomSampler(length: number, seed: number, perPass = length): Sampler {
  return new PassSampler(length, perPass, seed, (passSeed, epoch) => permutation(length, passSeed, epoch));
}

/** Rows of a pass: less than a batch at its end is left out. */
const wholeBatches = (rows: number, batchSize: number): number => Math.floor(rows / batchSize) * batchSize;

/** What `data.shuffle` chooses between where `data.sampler` names nothing. */
export const builtinSamplers: readonly [random: SamplerFactory, sequential: SamplerFactory] = [
  {
    name: "random",
    create: ({ dataset, batchSize, seed }) =>
      randomSampler(dataset.length, seed, wholeBatches(dataset.length, batchSize)),
  },
  {
    name: "sequential",
    create: ({ dataset, batchSize }) => sequentialSampler(dataset.length, wholeBatches(dataset.length, batchSize)),
  },
];

/** The rows of a data set of `length` rows in the random order of one pass. */
export function permutation(length: number, seed: number, epoch: number): Uint32Array {
  const order = Uint32Array.from({ length }, (_, i) => i);
  const random = new RandomStream(seed, `sampler/${epoch}`);
  for (let i = length - 1; i > 0; i--) {
    const j = random.int(i + 1);
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}

class PassSampler implements Sampler {
  #epoch = 0;
  #position = 0;
  #seed: number;
  #order: Uint32Array | null;
  readonly #length: number;
  readonly #perPass: number;
  readonly #orderOf: (seed: number, epoch: number) => Uint32Array | null;

  constructor(
    length: number,
    perPass: number,
    seed: number,
    orderOf: (seed: number, epoch: number) => Uint32Array | null,
  ) {
    if (!Number.isInteger(length) || length < 1 || perPass < 1) {
      throw dataErrors.VERL_DATA_EMPTY({ what: `cannot draw ${perPass} rows a pass from a data set of ${length}` });
    }
    this.#length = length;
    this.#perPass = perPass;
    this.#seed = seed;
    this.#orderOf = orderOf;
    this.#order = orderOf(seed, 0);
  }

  get epoch(): number {
    return this.#epoch;
  }

  next(): number {
    if (this.#position >= this.#perPass) this.#enter(this.#epoch + 1, 0);
    const at = this.#position++;
    return this.#order ? this.#order[at] : at;
  }

  state(): JsonValue {
    const state: PassState = { epoch: this.#epoch, position: this.#position, seed: this.#seed };
    return { ...state };
  }

  restore(state: JsonValue): void {
    const { epoch, position, seed } = Object(state) as Partial<PassState>;
    const counts = [epoch, position].every((n) => Number.isSafeInteger(n) && (n as number) >= 0);
    if (!counts || (position as number) > this.#length || !Number.isFinite(seed)) {
      throw dataErrors.VERL_DATA_STATE_MISMATCH({
        what: `the saved position (epoch ${epoch}, row ${position}) lies outside of a data set of ${this.#length} rows`,
      });
    }
    this.#seed = seed as number;
    this.#enter(epoch as number, position as number);
  }

  #enter(epoch: number, position: number): void {
    this.#epoch = epoch;
    this.#position = position;
    this.#order = this.#orderOf(this.#seed, epoch);
  }
}
