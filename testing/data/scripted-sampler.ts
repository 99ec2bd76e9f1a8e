import type { JsonValue, RowOutcome, Sampler, SamplerFactory } from "../../core/plugin.js";

/** A sampler that draws given rows, over and over, and keeps what it is told. */
export class ScriptedSampler implements Sampler {
  /** What `update` was called with, in order. */
  readonly told: (readonly RowOutcome[])[] = [];
  #draws = 0;

  constructor(private readonly rows: readonly number[]) {}

  get epoch(): number {
    return Math.floor(Math.max(0, this.#draws - 1) / this.rows.length);
  }

  next(): number {
    return this.rows[this.#draws++ % this.rows.length];
  }

  update(outcomes: readonly RowOutcome[]): void {
    this.told.push(outcomes);
  }

  state(): JsonValue {
    return { draws: this.#draws };
  }

  restore(state: JsonValue): void {
    const { draws } = Object(state) as { readonly draws?: unknown };
    if (!Number.isSafeInteger(draws)) throw new TypeError("this is no state of a scripted sampler");
    this.#draws = draws as number;
  }
}

/** A factory under the name `scripted` whose samplers are kept in `created`. */
export function scriptedSamplerFactory(
  rows: readonly number[],
): SamplerFactory & { readonly created: ScriptedSampler[] } {
  const created: ScriptedSampler[] = [];
  return {
    name: "scripted",
    created,
    create() {
      const sampler = new ScriptedSampler(rows);
      created.push(sampler);
      return sampler;
    },
  };
}
