import type { Sampler, SamplerState } from "./dataset.js";
import { dataErrors } from "./errors.js";
import { RandomStream } from "./random.js";

/** Rows in their own order, pass after pass. */
export function sequentialSampler(length: number): Sampler {
  return new PassSampler(length, 0, () => null);
}

/**
 * A new order for every pass. The order is a function of (seed, epoch, length) alone, so a restored sampler goes on as the
 * saved one would have.
 */
export function randomSampler(length: number, seed: number): Sampler {
  return new PassSampler(length, seed, (passSeed, epoch) => permutation(length, passSeed, epoch));
}

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
  readonly #orderOf: (seed: number, epoch: number) => Uint32Array | null;

  constructor(length: number, seed: number, orderOf: (seed: number, epoch: number) => Uint32Array | null) {
    if (!Number.isInteger(length) || length < 1) {
      throw dataErrors.VERL_DATA_EMPTY({ what: `cannot draw from a data set of ${length} rows` });
    }
    this.#length = length;
    this.#seed = seed;
    this.#orderOf = orderOf;
    this.#order = orderOf(seed, 0);
  }

  get epoch(): number {
    return this.#epoch;
  }

  next(): number {
    if (this.#position >= this.#length) this.#enter(this.#epoch + 1, 0);
    const at = this.#position++;
    return this.#order ? this.#order[at] : at;
  }

  state(): SamplerState {
    return { epoch: this.#epoch, position: this.#position, seed: this.#seed };
  }

  restore({ epoch, position, seed }: SamplerState): void {
    const counts = [epoch, position].every((n) => Number.isSafeInteger(n) && n >= 0);
    if (!counts || position > this.#length || !Number.isFinite(seed)) {
      throw dataErrors.VERL_DATA_STATE_MISMATCH({
        what: `the saved position (epoch ${epoch}, row ${position}) lies outside of a data set of ${this.#length} rows`,
      });
    }
    this.#seed = seed;
    this.#enter(epoch, position);
  }

  #enter(epoch: number, position: number): void {
    this.#epoch = epoch;
    this.#position = position;
    this.#order = this.#orderOf(this.#seed, epoch);
  }
}
