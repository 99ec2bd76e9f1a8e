/** One of these is to be found. Bisection finds each of them within five guesses. */
export const LETTERS = "abcdefghijklmnopqrstuvwxyz";
export const GUESSES = 5;
/** What a guess costs, and what finding the letter pays. */
export const COST = 0.1;
export const PRIZE = 1;
/** What a move costs that is no guess: more than losing the game, or a model learns to give up. */
export const FOUL = 1;

/** What the environment says after a move. */
export interface Outcome {
  /** The letters that are left, e.g. `k-z`; null when the game is over. */
  readonly observation: string | null;
  readonly reward: number;
  readonly found: boolean;
}

/** The environment: it holds a letter that the player has to find, and pays for it. */
export class LetterGame {
  #guesses = 0;
  #left = LETTERS;

  constructor(private readonly secret: string) {
    if (!isLetter(secret)) throw new RangeError(`${JSON.stringify(secret)} is not a letter from a to z`);
  }

  /** The letters that the answers so far leave. */
  get left(): string {
    return this.#left;
  }

  /** A move that is no letter from a to z ends the game. A letter that is ruled out may be guessed, and tells nothing. */
  move(text: string): Outcome {
    this.#guesses++;
    if (!isLetter(text)) return { observation: null, reward: -FOUL, found: false };
    if (text === this.secret) return { observation: null, reward: PRIZE - COST, found: true };
    this.#left = [...this.#left].filter((letter) => letter > text === this.secret > text && letter !== text).join("");
    return { observation: this.#guesses < GUESSES ? range(this.#left) : null, reward: -COST, found: false };
  }
}

/** A run of letters as the environment writes it: the first and the last. */
export const range = (letters: string): string => `${letters[0]}-${letters[letters.length - 1]}`;

const isLetter = (text: string) => text.length === 1 && LETTERS.includes(text);
