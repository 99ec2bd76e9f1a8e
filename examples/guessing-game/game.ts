/** Numbers are drawn from 1 to this. Bisection finds each of them within five guesses. */
export const HIGHEST = 31;
export const GUESSES = 5;
/** What a guess costs, and what finding the number pays. */
export const COST = 0.1;
export const PRIZE = 1;
/** What a move costs that is no guess: more than losing the game, or a model learns to give up. */
export const FOUL = 1;

/** What the environment says after a move. */
export interface Outcome {
  /** What the player reads; null when the game is over. */
  readonly observation: "higher" | "lower" | null;
  readonly reward: number;
  readonly found: boolean;
}

/** The environment: it holds a number that the player has to find, and pays for it. */
export class NumberGame {
  #guesses = 0;

  constructor(private readonly secret: number) {
    if (!(secret >= 1 && secret <= HIGHEST)) throw new RangeError(`${secret} is not a number from 1 to ${HIGHEST}`);
  }

  /** A move that is no number from 1 to 31, written with two digits, ends the game. */
  move(text: string): Outcome {
    this.#guesses++;
    const guess = /^\d\d$/.test(text) ? Number(text) : 0;
    if (guess < 1 || guess > HIGHEST) return { observation: null, reward: -FOUL, found: false };
    if (guess === this.secret) return { observation: null, reward: PRIZE - COST, found: true };
    const hint = guess < this.secret ? "higher" : "lower";
    return { observation: this.#guesses < GUESSES ? hint : null, reward: -COST, found: false };
  }
}
