/** The work that one comparison may do. Model text is hostile: what costs more than this is not worth an answer. */
const STEPS = 20_000;

/** Thrown inside this folder when a comparison gets too expensive; never leaves it. */
export class OutOfSteps extends Error {}

/** A deadline counted in steps, so that a verdict does not depend on the speed of the machine. */
export class Steps {
  #left: number;

  constructor(limit = STEPS) {
    this.#left = limit;
  }

  spend(count = 1): void {
    this.#left -= count;
    // A comparison with NaN is false: an absurd count is too expensive as well.
    if (!(this.#left >= 0)) throw new OutOfSteps();
  }
}
