import {
  type JsonValue,
  type RowOutcome,
  type Sampler,
  type SamplerFactory,
  type SamplerOptions,
  uniformAt,
} from "verl-ts/plugin";

/** How much less often rows come whose answers were all worth the same: nothing is learned from them. */
const DULL = 0.1;

interface State {
  readonly draws: number;
  readonly seed: number;
  /** Rows whose last answers were all worth the same. */
  readonly dull: readonly number[];
}

/** A curriculum: rows that the model solves now and then come more often than those that it always or never solves. */
class Curriculum implements Sampler {
  #draws = 0;
  #seed: number;
  #dull = new Set<number>();

  constructor(private readonly options: SamplerOptions) {
    this.#seed = options.seed;
  }

  get epoch(): number {
    return Math.floor(Math.max(0, this.#draws - 1) / this.options.dataset.length);
  }

  next(): number {
    const rows = this.options.dataset.length;
    // Drawn by number, not one after the other: nothing but the count has to be saved.
    let left = uniformAt(this.#seed, "__SHORT__", this.#draws++) * (rows - (1 - DULL) * this.#dull.size);
    for (let row = 0; row < rows; row++) {
      left -= this.#dull.has(row) ? DULL : 1;
      if (left < 0) return row;
    }
    return rows - 1;
  }

  update(outcomes: readonly RowOutcome[]): void {
    for (const { index, scores } of outcomes) {
      const known = scores.filter((score) => score !== null);
      if (known.length === 0) continue;
      if (new Set(known).size > 1) this.#dull.delete(index);
      else this.#dull.add(index);
    }
  }

  state(): JsonValue {
    const state: State = { draws: this.#draws, seed: this.#seed, dull: [...this.#dull] };
    return { ...state };
  }

  restore(state: JsonValue): void {
    const { draws, seed, dull } = Object(state) as Partial<State>;
    if (typeof draws !== "number" || typeof seed !== "number" || !Array.isArray(dull)) {
      throw new TypeError("this is no state of the sampler __SHORT__");
    }
    this.#draws = draws;
    this.#seed = seed;
    this.#dull = new Set(dull);
  }
}

export const sampler: SamplerFactory = { name: "__SHORT__", create: (options) => new Curriculum(options) };
